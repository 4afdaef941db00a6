// The shell's script: asks if the server answers, and opens the real page as soon as it does.
import { mountIslands } from './islands/mount.tsx';
import { hasConnection } from './send-charge.ts';

const ASK_MS = 2_000;
/** A slow connection is enough, because the answer is small. */
const SLOW_MS = 20_000;

let isAsking = false;
let timer: ReturnType<typeof setTimeout> | undefined;

async function ask(): Promise<void> {
  if (isAsking) return;
  clearTimeout(timer);
  isAsking = true;
  const isThere = !document.hidden && (await hasConnection(SLOW_MS));
  isAsking = false;
  if (!isThere) timer = setTimeout(() => void ask(), ASK_MS);
  else if (document.querySelector('[data-connection]')) location.replace('/console/charge?again');
  else location.reload();
}

mountIslands({ state: 'away', onChange: () => {} });
for (const type of ['online', 'focus']) addEventListener(type, () => void ask());
void ask();
