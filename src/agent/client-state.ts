import type { Clock } from "../ledger/index.ts";
import {
  ANSWER_LIMITS,
  parseSessionState,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import { findBase64UrlBytes, toBase64Url } from "./base64url.ts";
import { canonicalJson } from "./canonical-json.ts";
import { deriveStateKey, secretBytes, type StateKey } from "./state-key.ts";

export type ClientStateKeeperOptions = {
  /** At least 32 bytes of text. A list while secrets are changed: the first one protects, all of them open. */
  readonly secret: string | readonly string[];
  /** Encrypts the state as well, so that the client cannot read it. */
  readonly seal?: boolean | undefined;
  /** How long a state may be sent back: a day unless told. */
  readonly maxAgeMs?: number | undefined;
  readonly clock: Clock;
};

/** Where a state was issued, and so the only place where it is taken back. */
export type IssuedFor = {
  readonly tenant: string;
  readonly agent: string;
};

const DAY_MS = 86_400_000;
const IV_BYTES = 12;
const TOKEN =
  /^(?<header>(?<kind>signed|sealed)\.(?<keyId>[\w-]{8})\.(?<issued>\d{1,16}))\.(?<body>[\w-]+)$/;

/**
 * Protects the state that clients carry from turn to turn, where an agent has no store. The proof travels as `token`
 * inside the state, so a client has only to send back what it got. A client can still send back an older state that it
 * got: without a store nobody knows which is the newest.
 */
export class ClientStateKeeper {
  readonly #secrets: ReturnType<typeof secretBytes>;
  readonly #seal: boolean;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  #keys: Promise<readonly StateKey[]> | undefined;

  constructor({ secret, seal = false, maxAgeMs = DAY_MS, clock }: ClientStateKeeperOptions) {
    if (!(maxAgeMs > 0)) {
      throw new TurnkeepError("INVALID_ARGUMENT", "The maximum age of a state must be above zero.");
    }
    this.#secrets = secretBytes(secret);
    this.#seal = seal;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  /** The state as it may be handed to a client: signed, or sealed with nothing left to see but its id. */
  async protect(state: SessionState, about: IssuedFor): Promise<SessionState> {
    const [key] = await this.#loadKeys();
    const kind = this.#seal ? "sealed" : "signed";
    const header = `${kind}.${key!.id}.${Math.floor(this.#clock.now())}`;
    const content = contentOf(state);
    const claim = { header, about, sessionId: content.sessionId };
    if (!this.#seal)
      return { ...state, token: `${header}.${await signContent(key!, claim, content)}` };
    const token = `${header}.${await sealContent(key!, claim, content)}`;
    return content.sessionId === undefined ? { token } : { sessionId: content.sessionId, token };
  }

  /**
   * The state that a client sent back, as it was when it was protected.
   *
   * @throws TurnkeepError STATE_REFUSED: INVALID_ARGUMENT unless the state was issued here, for this tenant and agent, and
   *   is unchanged; FAILED_PRECONDITION when it is too old.
   */
  async open(state: SessionState, about: IssuedFor): Promise<SessionState> {
    const { kind, keyId, issued, header, body } = readToken(state.token);
    const key = (await this.#loadKeys()).find(({ id }) => id === keyId);
    const bytes = findBase64UrlBytes(body);
    if (key === undefined || bytes === undefined) throw notOurs();
    const content = contentOf(state);
    const claim = { header, about, sessionId: content.sessionId };
    const opened =
      kind === "sealed"
        ? await unsealContent(key, claim, { bytes, content })
        : await verifyContent(key, claim, { bytes, content });
    if (this.#clock.now() - Number(issued) > this.#maxAgeMs) throw tooOld();
    return opened;
  }

  // Only when first needed: a keeper that is never used derives nothing.
  #loadKeys(): Promise<readonly StateKey[]> {
    this.#keys ??= Promise.all(this.#secrets.map(deriveStateKey));
    return this.#keys;
  }
}

/** What a token vouches for besides the content. */
type Claim = {
  readonly header: string;
  readonly about: IssuedFor;
  readonly sessionId: string | undefined;
};

/** What came back: the token's bytes, and the state beside it. */
type Returned = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly content: SessionState;
};

// As it will be when it has come back: what the parser drops cannot be vouched for.
function contentOf(state: SessionState): SessionState {
  const { token: _, ...content } = parseSessionState(state, { limits: ANSWER_LIMITS });
  return content;
}

// As a list in JSON, so that nothing can be moved from one of its fields to the next.
function claimText({ header, about, sessionId }: Claim): string {
  return JSON.stringify([header, about.tenant, about.agent, sessionId ?? null]);
}

function signedBytes(claim: Claim, content: SessionState): Uint8Array<ArrayBuffer> {
  // Some clients leave out lists that are empty.
  const { messages = [], artifacts = [], ...rest } = content;
  const whole = { messages, artifacts, ...rest };
  return new TextEncoder().encode(`${claimText(claim)}\n${canonicalJson(whole)}`);
}

async function signContent(key: StateKey, claim: Claim, content: SessionState): Promise<string> {
  const { subtle } = globalThis.crypto;
  const signature = await subtle.sign("HMAC", key.sign, signedBytes(claim, content));
  return toBase64Url(new Uint8Array(signature));
}

async function verifyContent(
  key: StateKey,
  claim: Claim,
  returned: Returned,
): Promise<SessionState> {
  const { subtle } = globalThis.crypto;
  const signed = signedBytes(claim, returned.content);
  if (!(await subtle.verify("HMAC", key.sign, returned.bytes, signed))) throw notOurs();
  return returned.content;
}

async function sealContent(key: StateKey, claim: Claim, content: SessionState): Promise<string> {
  const { subtle } = globalThis.crypto;
  // Never from a port: a value that comes twice would open what it seals.
  const iv = globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plain = new TextEncoder().encode(JSON.stringify(content));
  const sealed = new Uint8Array(await subtle.encrypt(cipher(iv, claim), key.seal, plain));
  const bytes = new Uint8Array(IV_BYTES + sealed.length);
  bytes.set(iv);
  bytes.set(sealed, IV_BYTES);
  return toBase64Url(bytes);
}

async function unsealContent(
  key: StateKey,
  claim: Claim,
  returned: Returned,
): Promise<SessionState> {
  const { sessionId: _, ...beside } = returned.content;
  if (Object.keys(beside).length > 0) throw notOurs();
  const { subtle } = globalThis.crypto;
  const iv = returned.bytes.subarray(0, IV_BYTES);
  const sealed = returned.bytes.subarray(IV_BYTES);
  const plain = await subtle.decrypt(cipher(iv, claim), key.seal, sealed).catch(() => {
    throw notOurs();
  });
  const content: unknown = JSON.parse(new TextDecoder().decode(plain));
  return parseSessionState(content, { limits: ANSWER_LIMITS });
}

function cipher(iv: Uint8Array<ArrayBuffer>, claim: Claim): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(claimText(claim)) };
}

type Token = Readonly<Record<"kind" | "keyId" | "issued" | "header" | "body", string>>;

function readToken(token: string | undefined): Token {
  if (token === undefined) {
    throw refusal("INVALID_ARGUMENT", "The state carries no token. Send back a state as it came.");
  }
  const parts = TOKEN.exec(token)?.groups;
  if (parts === undefined) throw notOurs();
  return parts as Token;
}

function notOurs(): TurnkeepError {
  return refusal(
    "INVALID_ARGUMENT",
    "The state was not issued here, or was changed since. Send back a state as it came.",
  );
}

function tooOld(): TurnkeepError {
  return refusal(
    "FAILED_PRECONDITION",
    "The state is too old. Start again, or send the newest state of this session.",
  );
}

function refusal(
  status: "INVALID_ARGUMENT" | "FAILED_PRECONDITION",
  message: string,
): TurnkeepError {
  return new TurnkeepError(status, message, { reason: "STATE_REFUSED" });
}
