/** What the server said instead of an answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP's own code; 0 when no answer came. */
  readonly code: number;
  readonly status: string;
  readonly requestId: string | undefined;
  readonly details: unknown;

  constructor(
    message: string,
    about: {
      readonly code: number;
      readonly status: string;
      readonly requestId?: string | undefined;
      readonly details?: unknown;
    },
  ) {
    super(message);
    this.code = about.code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.details = about.details;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The address of something of the API. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`api/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** Names and ids are anybody's choice, so each is encoded. */
export function pathOf(...steps: readonly string[]): string {
  return steps.map(encodeURIComponent).join("/");
}

export async function getJson<Answer>(
  path: string,
  { query, signal }: { readonly query?: Query; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const response = await ask(apiUrl(path, query), signal ? { signal } : {});
  return (await response.json()) as Answer;
}

export async function sendJson<Answer>(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body: unknown = {},
): Promise<Answer> {
  const init =
    method === "DELETE"
      ? { method }
      : {
          method,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await ask(apiUrl(path), init);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

/** @throws ApiError for whatever is no success. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { credentials: "same-origin", ...init }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiError("The server does not answer.", { code: 0, status: "UNAVAILABLE" });
    },
  );
  if (response.ok) return response;
  throw await errorFrom(response);
}

async function errorFrom(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    readonly error?: {
      readonly status?: string;
      readonly message?: string;
      readonly requestId?: string;
      readonly details?: unknown;
    };
  };
  const {
    status = "UNKNOWN",
    message = response.statusText,
    requestId,
    details,
  } = body.error ?? {};
  return new ApiError(message, { code: response.status, status, requestId, details });
}
