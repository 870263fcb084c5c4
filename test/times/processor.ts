// The CPU time of a process and its descendants, from /proc. Without /proc, only that of the process itself.
import { readdirSync, readFileSync } from 'node:fs';

/** The unit USER_HZ, which Linux uses on every architecture. */
const ticksPerSecond = 100;

export interface ProcessorTime {
  /** The CPU time of this process in seconds. */
  readonly own: number;
  /** The CPU time of its child processes in seconds, running or ended. */
  readonly children: number;
}

export function processorTime(): ProcessorTime {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, children: childrenOf('self') };
}

/** Includes ended descendants that were waited for, and running ones. */
function childrenOf(pid: string): number {
  const [, , reapedUser = 0, reapedSystem = 0] = ticksOf(pid);
  const living = livingChildren(pid).map(child => {
    const [user = 0, system = 0] = ticksOf(child);
    return (user + system) / ticksPerSecond + childrenOf(child);
  });
  return living.reduce((sum, each) => sum + each, (reapedUser + reapedSystem) / ticksPerSecond);
}

/** The fields utime, stime, cutime and cstime, see proc_pid_stat(5). */
function ticksOf(pid: string): readonly number[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
}

function livingChildren(pid: string): readonly string[] {
  return tasksOf(pid).flatMap(task => read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean));
}

function tasksOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A process may end at any time. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
