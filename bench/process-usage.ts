// CPU time and memory of a process, from Linux's /proc.
// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, independent of the kernel's timer frequency. */
const ticksPerSecond = 100;

/** User and system CPU time in ms. Null without /proc, or if the process does not exist. */
export function cpuMsOf(pid: number): number | null {
  const text = read(pid, 'stat');
  if (text === undefined) {
    return null;
  }
  // The second field, a name in parentheses, may contain spaces. The state follows. From there, utime is the twelfth
  // field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

export interface Memory {
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** Returns null without /proc, or if the process does not exist. */
export function memoryOf(pid: number): Memory | null {
  const text = read(pid, 'status');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1] ?? 0);
  return text === undefined ? null : { residentMiB: field('VmRSS') / 1024, peakMiB: field('VmHWM') / 1024 };
}

/** The number of open sockets. Null without /proc, or if the process does not exist. */
export function socketsOf(pid: number): number | null {
  const folder = `/proc/${pid}/fd`;
  return existsSync(folder)
    ? readdirSync(folder).filter(file => linkOf(`${folder}/${file}`).startsWith('socket:')).length
    : null;
}

/** A file may be closed meanwhile. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function read(pid: number, file: string): string | undefined {
  const path = `/proc/${pid}/${file}`;
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
