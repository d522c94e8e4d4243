import type { ListPlace } from "../list-cursor.ts";

/** A session in the list of its tenant. */
export interface ListMember extends ListPlace {
  readonly isActive: boolean;
}

/**
 * Members of a list all have the same score and say everything themselves, so that a page is a range of them, whatever happened to the
 * session that the page before ended with. In byte order of the text: by time, agent, and id.
 */
export function toListMember(member: ListMember): string {
  return `${toListStart(member)}${member.isActive ? ACTIVE : IDLE}`;
}

/** What the member of that place starts with. Every member before the place in the list is greater, every one behind it is less. */
export function toListStart({ updatedAt, agent, sessionId }: ListPlace): string {
  return [toSortable(updatedAt), toListName(agent), toListName(sessionId), ""].join(":");
}

/** A cursor or a filter may hold any text; one that names nothing must find nothing. */
export function toListName(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

export function placeFromListMember(member: string): ListPlace {
  const [time = "", agent = "", sessionId = ""] = member.split(":");
  return {
    updatedAt: Buffer.from(time, "hex").readDoubleBE(),
    agent: decodeURIComponent(agent),
    sessionId: decodeURIComponent(sessionId),
  };
}

export const ACTIVE = "a";
export const IDLE = "i";

// The bytes of numbers from zero up are in the order of the numbers.
function toSortable(time: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(time);
  return bytes.toString("hex");
}
