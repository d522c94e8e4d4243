import { connect } from "node:net";

const PATIENCE_MS = 30_000;
const POSTGRES_PROTOCOL_3 = 196_608;
const POSTGRES_READY = "Z\0\0\0\x05I";

/** Logs in and runs one statement, over the wire as it is. */
export function askPostgres(port: number, sql: string): Promise<string> {
  const question = Buffer.concat([startupMessage(), queryMessage(sql)]);
  // Ready once after the login, and once more after the statement.
  return ask(port, question, (text) => text.split(POSTGRES_READY).length > 2);
}

export function askRedis(port: number, command: string): Promise<string> {
  return ask(port, Buffer.from(`${command}\r\n`), (text) => text.endsWith("\r\n"));
}

/** Sends bytes to a local port, and returns everything heard until it is enough. */
function ask(port: number, question: Buffer, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(question));
    socket.setEncoding("latin1");
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("The server keeps silent.")));
    socket.on("error", reject);
    socket.on("close", () =>
      reject(new Error(`The server hung up after ${JSON.stringify(heard)}.`)),
    );
    socket.on("data", (chunk: string) => {
      heard += chunk;
      if (!isEnough(heard)) return;
      resolve(heard);
      socket.destroy();
    });
  });
}

function startupMessage(): Buffer {
  const parameters = Buffer.from("user\0test\0database\0postgres\0\0");
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length);
  head.writeInt32BE(POSTGRES_PROTOCOL_3, 4);
  return Buffer.concat([head, parameters]);
}

function queryMessage(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + text.length);
  return Buffer.concat([Buffer.from("Q"), length, text]);
}
