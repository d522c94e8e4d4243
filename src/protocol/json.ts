/** A JSON value. Deeply read-only: state is shared between turns and never changed in place. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of JSON. A member that is `undefined` counts as absent. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
