import { TurnkeepError } from "../protocol/index.ts";
import { toBase64Url } from "./base64url.ts";

/** What is derived from one secret to protect the state that clients carry. */
export type StateKey = {
  /** Names the key on the wire, and says nothing of the secret. */
  readonly id: string;
  readonly sign: CryptoKey;
  readonly seal: CryptoKey;
};

type Bytes = Uint8Array<ArrayBuffer>;

const LEAST_BYTES = 32;
const ID_BITS = 48;

/**
 * The bytes of the secrets, the current one first.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when there is none, or one is too short.
 */
export function secretBytes(secret: string | readonly string[]): readonly Bytes[] {
  const secrets: readonly string[] = typeof secret === "string" ? [secret] : secret;
  const bytes = Array.isArray(secrets) ? secrets.map(bytesOf) : [];
  if (bytes.length === 0 || bytes.some(({ length }) => length < LEAST_BYTES)) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `Each secret for the state of clients must be text of at least ${LEAST_BYTES} bytes.`,
    );
  }
  return bytes;
}

/** The key of a secret. Signing, sealing and naming each have their own, so that one use says nothing about another. */
export async function deriveStateKey(secret: Bytes): Promise<StateKey> {
  const { subtle } = globalThis.crypto;
  const root = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits", "deriveKey"]);
  const [id, sign, seal] = await Promise.all([
    subtle.deriveBits(hkdf("id"), root, ID_BITS),
    subtle.deriveKey(hkdf("sign"), root, { name: "HMAC", hash: "SHA-256", length: 256 }, false, [
      "sign",
      "verify",
    ]),
    subtle.deriveKey(hkdf("seal"), root, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
  ]);
  return { id: toBase64Url(new Uint8Array(id)), sign, seal };
}

function hkdf(use: string): HkdfParams {
  const info = new TextEncoder().encode(`turnkeep/client-state/${use}`);
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
}

function bytesOf(secret: unknown): Bytes {
  return new TextEncoder().encode(typeof secret === "string" ? secret : "");
}
