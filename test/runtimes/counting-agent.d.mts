import type { Handler } from "turnkeep/http";

export declare const handler: Handler;
