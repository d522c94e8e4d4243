// Gives the process a wrong clock, as a machine has whose time nobody set. What only measures how long things take stays right.

export function skewClock(skewMs) {
  const RealDate = Date;
  const now = () => RealDate.now() + skewMs;
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(now());
      else super(...parts);
    }

    static now() {
      return now();
    }
  };
}
