// npm run balcao -- <command>: what operators and developers do from the shell.
import { systemClock } from '../clock.ts';
import { runCommand } from './commands.ts';

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
