export declare function talk(url: string): Promise<unknown>;
