export interface Point {
  readonly size: number;
  readonly value: number;
}

/** How a cost grows: like size to this power. 0 is flat, 1 linear, 2 quadratic. The least squares of the logarithms. */
export function fitPower(points: readonly Point[]): number | undefined {
  const usable = points.filter(({ size, value }) => size > 0 && value > 0);
  if (usable.length < 2) return undefined;
  const xs = usable.map(({ size }) => Math.log(size));
  const ys = usable.map(({ value }) => Math.log(value));
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const products = xs.map((x, index) => (x - meanX) * ((ys[index] ?? 0) - meanY));
  const squares = xs.map((x) => (x - meanX) ** 2);
  return mean(products) / mean(squares);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
