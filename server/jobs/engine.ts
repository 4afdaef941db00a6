// The one engine of jobs: claims by lease what is due, runs it side by side, and sleeps until a commit or a moment wakes it.
import { noteKey, noteTime, sleep, takeKeys, type Agenda, type Host, type Job } from './agenda.ts';
import {
  awaitRoom,
  createPlaces,
  leavePlace,
  noteCrowded,
  shareRoom,
  takePlace,
  wantsMore,
  type Limits,
  type Places,
} from './places.ts';

/** Where to look, and for how many jobs of each key. */
export type Look = {
  /** With news, or with room for more. */
  keys: string[];
  /** How many are under way already, by key. */
  busy: Map<string, number>;
  /** How many may be under way of one key. */
  room: number;
};

/** `nextAt`: when the first of those that were not due yet will be, where the queue knows. */
export type Claimed = { jobs: Job[]; nextAt?: Date | null };

export type Queue = {
  name: string;
  limits: Limits;
  /** What comes due within this is claimed together, in milliseconds: often enough, jobs do not pile up into a burst. */
  gatherMs: number;
  /** Claims what is due, by lease: no two nodes run the same job, and after a crash another node takes over. */
  claim(look: Look): Promise<Claimed>;
};

/** Looks for what no commit of this node tells of, each second, and wakes queues for it. */
export type LookOut = () => Promise<void>;

/** Jobs of other nodes, and those that came due earlier than planned, are found at the latest after this. */
export const POLL_MS = 1_000;

/** Runs jobs until the node stops; resolves when the last one is done. */
export async function runJobs(host: Host, queues: Queue[], lookOuts: LookOut[]): Promise<void> {
  const agendas = queues.map(({ name }) => host.jobs.agendaOf(name));
  const wakeAll = () => agendas.forEach((agenda) => agenda.wakeUp());
  host.stopping.addEventListener('abort', wakeAll, { once: true });
  await Promise.all([...queues.map((queue) => runQueue(host, queue)), ...lookOuts.map((look) => poll(host, look))]);
}

async function poll(host: Host, look: LookOut): Promise<void> {
  while (!host.stopping.aborted) {
    await look().catch((error: unknown) => host.log.warn({ err: error }, 'could not look for jobs that are due'));
    await host.clock.wait(POLL_MS, host.stopping);
  }
}

type Line = { host: Host; queue: Queue; agenda: Agenda; places: Places };

async function runQueue(host: Host, queue: Queue): Promise<void> {
  const { clock, stopping } = host;
  const agenda = host.jobs.agendaOf(queue.name);
  const places = createPlaces(queue.limits, agenda.busy);
  const line = { host, queue, agenda, places };
  // Too late, it is somebody else's once its lease ends.
  agenda.begin = (job) => void (stopping.aborted || start(line, job));
  while (!stopping.aborted) {
    await sleep(agenda, clock, stopping);
    await awaitRoom(places);
    if (stopping.aborted) break;
    await claim(line);
  }
  await Promise.all(places.running);
}

async function claim(line: Line): Promise<void> {
  const { host, queue, agenda, places } = line;
  const keys = takeKeys(agenda);
  const room = shareRoom(places, keys.length);
  // As they are now: while it is being claimed, places become free.
  const busy = new Map(places.busy);
  try {
    const { jobs, nextAt } = await queue.claim({ keys, busy, room });
    for (const job of jobs) start(line, job);
    const given = Map.groupBy(jobs, ({ key }) => key);
    for (const key of new Set([...keys, ...given.keys()])) {
      const taken = (busy.get(key) ?? 0) + (given.get(key)?.length ?? 0);
      noteCrowded(places, key, taken, room);
      // Those that left meanwhile told nobody.
      if ((places.busy.get(key) ?? 0) < taken && wantsMore(places, key)) noteKey(agenda, key);
    }
    if (nextAt) noteTime(agenda, new Date(Math.max(nextAt.getTime(), host.clock.now().getTime() + queue.gatherMs)));
  } catch (error) {
    host.log.warn({ err: error, queue: queue.name }, 'could not claim jobs that are due');
    await host.clock.wait(POLL_MS, host.stopping);
    for (const key of keys) noteKey(agenda, key);
  }
}

function start({ host, queue, agenda, places }: Line, { id, key, run }: Job): void {
  let hasPlace = true;
  const leave = () => {
    if (!hasPlace) return;
    hasPlace = false;
    leavePlace(places, key);
    if (wantsMore(places, key)) noteKey(agenda, key);
  };
  takePlace(places, key);
  const running = run(leave)
    .catch((error: unknown) => {
      host.log.error({ err: error, queue: queue.name, id }, 'a job failed; it comes back when its lease ends');
    })
    .finally(() => {
      leave();
      places.running.delete(running);
    });
  places.running.add(running);
}
