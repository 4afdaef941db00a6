// The first connection at a node's start. It waits while the database is starting or has no free connection.
// Other connection errors end the start with one sentence.
import { setTimeout as pause } from 'node:timers/promises';
import { CannotStart } from '../config.ts';
import { closeDatabase, openDatabase, type OpenDatabase, type Opening } from './orm.ts';

/** The longest wait for the database, in milliseconds. After it the node ends, and its supervisor starts it again. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 1_000;

type ReachOptions = {
  /** Receives one message if the start must wait. Without this function, the start does not wait. */
  log?: ((message: string) => void) | undefined;
  pauseMs?: number;
};

/** Connects to the database, and waits if it is starting. @throws CannotStart */
export async function reachDatabase(
  url: string,
  opening: Opening,
  { log, pauseMs = PAUSE_MS }: ReachOptions = {},
): Promise<OpenDatabase> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await open(url, opening);
    } catch (error) {
      const reason = reasonOf(error);
      if (!reason) throw error;
      if (!reason.isPassing || !log || waitedMs >= PATIENCE_MS) throw new CannotStart(`DATABASE_URL: ${reason.text}.`);
      if (waitedMs === 0) log(`database not reachable yet, will retry: ${reason.text}`);
      await pause(pauseMs);
    }
  }
}

async function open(url: string, opening: Opening): Promise<OpenDatabase> {
  const database = await openDatabase(url, opening);
  try {
    await database.pool.query('select 1');
    return database;
  } catch (error) {
    await closeDatabase(database);
    throw error;
  }
}

type Reason = { text: string; isPassing: boolean };

/** Explains an error of a connection. Returns null for any other error. */
function reasonOf(error: unknown): Reason | null {
  const { code = '', message } = error as { code?: string; message: string };
  // The database or its pooler has no free connection, or it is starting or stopping.
  if (['53300', '57P03'].includes(code) || message.startsWith('no more connections allowed'))
    return { text: message, isPassing: true };
  if (['ECONNREFUSED', 'EAI_AGAIN', 'ETIMEDOUT'].includes(code))
    return { text: `the server does not respond (${code})`, isPassing: true };
  if (/connection timeout|timeout expired/.test(message))
    return { text: 'the server does not respond in time', isPassing: false };
  if (code === '3D000') return { text: `${message}; create it, or correct the name`, isPassing: false };
  // The database refuses the user, the password or the host.
  if (['ENOTFOUND', '28000', '28P01', '42501'].includes(code)) return { text: message, isPassing: false };
  return null;
}
