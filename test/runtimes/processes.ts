// Runs commands of a shop's folder to their end, and its servers until they are stopped.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a command to its end and returns its standard output. @throws with the command's complete output */
export function run(folder: string, command: string, args: string[], env: Record<string, string> = {}): string {
  try {
    return execFileSync(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

export type Server = { url: string; stop(): Promise<unknown> };

/** Starts a server. @param said matches the port in the line that the server prints when it listens */
export async function serve(
  folder: string,
  command: string,
  args: string[],
  said = /port"?[: ]+(\d+)/,
): Promise<Server> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  let output = '';
  const heard = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
      const port = said.exec(output)?.[1];
      if (port) heard.resolve(port);
    });
  void gone.then(() => heard.reject(new Error(`${command} ended: ${output}`)), heard.reject);
  const stop = () => (child.kill('SIGKILL'), gone);
  return { url: `http://127.0.0.1:${await heard.promise}`, stop };
}
