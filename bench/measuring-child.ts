// Measures in a separate process, so that its memory is its own. The process prints its figures as JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

interface MeasuringChild {
  /** The path of the program. */
  readonly program: string;
  readonly args: readonly number[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
}

/** Returns the figures. Rejects if the process fails. It ends with this process. */
export async function measureInChild<Figures>({ program, args, flags = [] }: MeasuringChild): Promise<Figures> {
  const child = spawn(process.execPath, [...flags, program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const closed = once(child, 'close');
  const output = await text(child.stdout);
  const [code] = await closed;
  process.off('exit', kill);
  if (code !== 0) {
    throw new Error(`the measuring process ended with ${String(code)}`);
  }
  return JSON.parse(output) as Figures; // true: the program prints them
}
