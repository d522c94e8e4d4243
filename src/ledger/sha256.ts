type HashText = (text: string) => string;

interface NodeCrypto {
  readonly hash?: (algorithm: string, data: string, encoding: "base64url") => string;
}

/**
 * @internal SHA-256 of the text's UTF-8 bytes, cut to 128 bits, as 22 characters of base64url. Synchronous, since the steps of the
 * ledger are: Node's own implementation where there is one, ours elsewhere (Web Crypto only offers an asynchronous one).
 */
export const hashText: HashText = nativeHash() ?? portableHash;

const HASH_CHARACTERS = 22;

function nativeHash(): HashText | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  const hash = process?.getBuiltinModule?.("node:crypto")?.hash;
  return hash && ((text) => cut(hash("sha256", text, "base64url")));
}

// 22 characters carry 132 bits; the last one is masked to the 2 bits that belong to the first 128.
function cut(digest: string): string {
  const last = BASE64URL.indexOf(digest.charAt(HASH_CHARACTERS - 1));
  return digest.slice(0, HASH_CHARACTERS - 1) + BASE64URL[last & 0b110000];
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The same digest without Node. Exported for its test. */
export function portableHash(text: string): string {
  const state = new Int32Array(INITIAL);
  const words = paddedWords(new TextEncoder().encode(text));
  const schedule = new Int32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    compress(state, schedule, words.subarray(block, block + 16));
  }
  return cut(toBase64Url(state));
}

function paddedWords(bytes: Uint8Array): Int32Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  return Int32Array.from({ length: padded.length / 4 }, (_, at) => view.getInt32(at * 4));
}

function compress(state: Int32Array, schedule: Int32Array, block: Int32Array): void {
  schedule.set(block);
  for (let at = 16; at < 64; at += 1) {
    const early = schedule[at - 15]!;
    const late = schedule[at - 2]!;
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[at] = (schedule[at - 16]! + sigma0 + schedule[at - 7]! + sigma1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as EightWords;
  for (let at = 0; at < 64; at += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + ROUND[at]! + schedule[at]!) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sum0 + majority) | 0];
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let at = 0; at < 8; at += 1) state[at] = state[at]! + mixed[at]!;
}

type EightWords = [number, number, number, number, number, number, number, number];

function rotate(word: number, count: number): number {
  return (word >>> count) | (word << (32 - count));
}

function toBase64Url(state: Int32Array): string {
  const bytes = Array.from(
    { length: 32 },
    (_, at) => (state[at >> 2]! >>> (24 - (at & 3) * 8)) & 255,
  );
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

// The first 32 bits of the fractional parts of square and cube roots of the first primes, as FIPS 180-4 defines them.
const PRIMES = firstPrimes(64);
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

function fraction(value: number): number {
  return ((value % 1) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
