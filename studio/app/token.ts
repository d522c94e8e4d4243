import { sendJson } from "../api/request.ts";

/** Trades the token for a cookie. @throws ApiError when it is not the one. */
export async function openSession(token: string): Promise<void> {
  await sendJson("POST", "studio/session", { token });
}

/** Takes the token out of the address, where it was printed, before anybody can copy it along. */
export async function openWithToken(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // Who is refused sees the page that asks for it.
  await openSession(token).catch(() => {});
}
