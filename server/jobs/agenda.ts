// Where queues look next: what commits and the clock put on a queue's agenda, and its sleep until something stands there.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Db } from '../database/db.ts';

/** A claimed job. */
export type Job = {
  id: string;
  /** Jobs of one key share its room. */
  key: string;
  /**
   * Does it, or says when it is due again. One that throws stays leased: it comes back when its lease ends.
   * @param leave gives its place to the next one before it ends, for instance while it is being recorded
   */
  run(leave: () => void): Promise<void>;
};

export type Agenda = {
  /** Whose jobs there is news of: endpoints, merchants …; of a queue without keys `ALL`. */
  keys: Set<string>;
  /** When the next job is due, where that is soon. */
  at: Date | null;
  /** How many jobs have a place, by key. */
  busy: Map<string, number>;
  /** Ends the sleep, if there is one. */
  wakeUp(): void;
  /** Runs a job. */
  begin(job: Job): void;
  /** Keys that ended: nothing of them is to begin. */
  closed: Set<string>;
};

/** The one key of a queue that has no others. */
export const ALL = '';

/** A node's agendas, by the queues' names. */
export type Jobs = {
  /** Jobs were made due now: this node need not wait until somebody looks. */
  wake(queue: string, key?: string): void;
  /** The same at a time to come. */
  wakeAt(queue: string, at: Date): void;
  /** Runs a job that was claimed already, with what made it due. */
  begin(queue: string, job: Job): void;
  /** What was claimed of this key before is not to begin any more. */
  close(queue: string, key: string): void;
  agendaOf(queue: string): Agenda;
};

/** A node, as far as its jobs are concerned. */
export type Host = Db & { clock: Clock; log: Logger; jobs: Jobs; stopping: AbortSignal };

export function createJobs(): Jobs {
  const agendas = new Map<string, Agenda>();
  const agendaOf = (queue: string) => {
    const agenda = agendas.get(queue) ?? {
      keys: new Set(),
      at: null,
      busy: new Map(),
      closed: new Set(),
      wakeUp() {},
      begin() {},
    };
    agendas.set(queue, agenda);
    return agenda;
  };
  return {
    agendaOf,
    wake: (queue, key = ALL) => noteKey(agendaOf(queue), key),
    wakeAt: (queue, at) => noteTime(agendaOf(queue), at),
    begin: (queue, job) => agendaOf(queue).begin(job),
    close: (queue, key) => void agendaOf(queue).closed.add(key),
  };
}

export function noteKey(agenda: Agenda, key: string): void {
  agenda.keys.add(key);
  agenda.wakeUp();
}

export function noteTime(agenda: Agenda, at: Date): void {
  if (agenda.at && agenda.at <= at) return;
  agenda.at = at;
  agenda.wakeUp();
}

/** All keys that stand on it, which is empty then. */
export function takeKeys({ keys }: Agenda): string[] {
  const all = [...keys];
  keys.clear();
  return all;
}

/** Until something stands on it, or its time has come; at once where the node stops. */
export async function sleep(agenda: Agenda, clock: Clock, stopping: AbortSignal): Promise<void> {
  while (agenda.keys.size === 0 && !stopping.aborted) {
    const leftMs = agenda.at ? agenda.at.getTime() - clock.now().getTime() : null;
    if (leftMs !== null && leftMs <= 0) agenda.keys.add(ALL);
    else await waitFor(agenda, clock, leftMs);
  }
  if (agenda.keys.has(ALL)) agenda.at = null;
}

async function waitFor(agenda: Agenda, clock: Clock, ms: number | null): Promise<void> {
  const woken = new AbortController();
  const waking = new Promise<void>((resolve) => {
    agenda.wakeUp = resolve;
  });
  await (ms === null ? waking : Promise.race([waking, clock.wait(ms, woken.signal)]));
  woken.abort();
}
