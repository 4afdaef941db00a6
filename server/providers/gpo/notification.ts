// What the GPO rail tells us of its own accord.
import type { OrderKind, RailNotification } from '../provider.ts';
import { readOrder } from './orders.ts';
import { readScan } from './qrcode.ts';
import { readTerminal } from './terminal.ts';
import { parseExact, readFields, readText } from '../read.ts';

const ATTEMPT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Reader = (message: Record<string, unknown>, notificationId: string) => RailNotification | null;

const READERS: ReadonlyMap<unknown, Reader> = new Map([
  ['purchase', readOrderNews('purchase')],
  ['authorization', readOrderNews('authorization')],
  ['capture', readOrderNews('capture')],
  ['void', readOrderNews('void')],
  ['qrcode_payment', readScanNews],
  ['terminal', readTerminalNews],
]);

/**
 * A notification's content, or null when it is not for us: another type, a scan that brought no money, nothing readable.
 * Its signature is checked elsewhere.
 */
export function readNotification(rawBody: string): RailNotification | null {
  const message = readFields(parseExact(rawBody));
  const notificationId = readText(message.id);
  return (notificationId && READERS.get(message.type)?.(message, notificationId)) || null;
}

/** The thing told of stands under its own name. */
function readOrderNews(kind: OrderKind): Reader {
  return (message, notificationId) => {
    const attemptId = readAttemptId(readFields(message[kind]).id);
    if (!attemptId) return null;
    const outcome = readOrder(message[kind], kind, attemptId);
    return { notificationId, about: 'order', kind, attemptId, outcome };
  };
}

function readScanNews(message: Record<string, unknown>, notificationId: string): RailNotification | null {
  const attemptId = readAttemptId(readFields(message.payment).qrCodeId);
  const scan = attemptId && readScan(message.payment, attemptId);
  return scan ? { notificationId, about: 'scan', attemptId, scan } : null;
}

function readTerminalNews(message: Record<string, unknown>, notificationId: string): RailNotification | null {
  const posId = readText(readFields(message.terminal).posId);
  const outcome = posId && readTerminal(message.terminal, posId);
  return outcome && outcome.result === 'told' ? { notificationId, about: 'terminal', posId, outcome } : null;
}

function readAttemptId(value: unknown): string | null {
  const id = readText(value);
  return id && ATTEMPT_ID.test(id) ? id : null;
}
