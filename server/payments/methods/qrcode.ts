// qrcode: the rail makes a code, which may be paid once or many times until its end date.
import type { Method } from './method.ts';

const DEFAULT_MS = 24 * 3_600_000;

export const qrcode: Method = {
  name: 'qrcode',
  start: 'code',
  asks: 'qrcode',
  failedPush: 'decline',
  expiresAt: (createdAt, { endDate }) => endDate ?? new Date(createdAt.getTime() + DEFAULT_MS),
};
