import { numberFrom } from "../number-from.ts";

const WIDTH = 320;
const HEIGHT = 200;

/** A small landscape whose colours, sun and hills come from the words; always the same for the same words. */
export function paintPicture(subject: string): string {
  const seed = numberFrom(subject);
  const hue = seed % 360;
  const hills = [0, 1, 2].map((row) => {
    const top = 90 + row * 30;
    const bend = ((seed >> row) % 60) - 30;
    const path = `M0 ${top} Q ${WIDTH / 3} ${top - 40 + bend} ${WIDTH / 2} ${top} T ${WIDTH} ${top - bend} V ${HEIGHT} H 0 Z`;
    return `<path d="${path}" fill="hsl(${(hue + 140 + row * 12) % 360} 40% ${55 - row * 14}%)"/>`;
  });
  const sun = `<circle cx="${40 + (seed % 240)}" cy="${36 + (seed % 30)}" r="18" fill="hsl(${(hue + 40) % 360} 90% 70%)"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="hsl(${hue} 60% 85%)"/>`,
    sun,
    ...hills,
    "</svg>",
  ].join("");
}
