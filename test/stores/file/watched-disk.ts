import { type Disk, nodeDisk } from "../../../src/stores/file/disk.ts";

/**
 * Sees every call before it is made, and may hold it up or throw instead; reading is not held up. A file that is written makes three
 * calls: `create`, `write`, `sync`.
 */
export type See = (call: string, path: string, bytes?: number) => unknown;

export function watchedDisk(see: See): Disk {
  const seen =
    <Rest extends readonly unknown[], Result>(
      name: string,
      call: (path: string, ...rest: Rest) => Promise<Result>,
    ) =>
    async (path: string, ...rest: Rest): Promise<Result> => {
      await see(name, path);
      return call(path, ...rest);
    };
  return {
    ...nodeDisk,
    create: async (path) => {
      await see("create", path);
      const file = await nodeDisk.create(path);
      return {
        writeFile: async (bytes) => {
          await see("write", path, bytes.length);
          await file.writeFile(bytes);
        },
        sync: async () => {
          await see("sync", path);
          await file.sync();
        },
        close: () => file.close(),
      };
    },
    link: seen("link", nodeDisk.link),
    rename: seen("rename", nodeDisk.rename),
    makeFolder: seen("makeFolder", nodeDisk.makeFolder),
    syncFolder: seen("syncFolder", nodeDisk.syncFolder),
    removeFile: seen("removeFile", nodeDisk.removeFile),
    removeFolder: seen("removeFolder", nodeDisk.removeFolder),
    removeTree: seen("removeTree", nodeDisk.removeTree),
    touch: seen("touch", nodeDisk.touch),
    read: (path, maxBytes) => {
      see("read", path);
      return nodeDisk.read(path, maxBytes);
    },
  };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
