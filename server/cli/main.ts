// npm run balcao -- <command>: the command line of operators and developers.
import { systemClock } from '../clock.ts';
import { runCommand } from './program.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  clock: systemClock,
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
  terminal: { input: process.stdin, output: process.stderr },
  untilStopped() {
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
    return stopping.signal;
  },
});
