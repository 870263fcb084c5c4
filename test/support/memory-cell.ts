// A memory cgroup for processes of a test: the kernel ends them beyond a limit, as Lambda does.
// https://docs.kernel.org/admin-guide/cgroup-v1/memory.html, https://docs.kernel.org/admin-guide/cgroup-v2.html
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toError } from '@capi-serverless/reconciler';

export interface MemoryCell {
  /** The file to which a process writes its id to enter the cell. */
  readonly processes: string;
  /** The largest use of memory since the cell exists, in MiB. */
  peakMebibytes(): number;
  /** To be called when its processes have ended. */
  remove(): void;
}

const mebibyte = 1024 * 1024;
let cells = 0;

/** The files of version 1 and 2 of cgroups. `settings` are written in this order. */
interface CellFiles {
  readonly parent: string;
  readonly settings: (bytes: number) => Readonly<Record<string, string>>;
  readonly peak: string;
}

const versionOne: Omit<CellFiles, 'parent'> = {
  settings: bytes => ({ 'memory.limit_in_bytes': `${bytes}` }),
  peak: 'memory.max_usage_in_bytes',
};
const versionTwo: Omit<CellFiles, 'parent'> = {
  settings: bytes => ({ 'memory.max': `${bytes}`, 'memory.swap.max': '0' }),
  peak: 'memory.peak',
};

/** `missing`: why this machine has no memory cgroup that this process may create, in one line. */
export function openMemoryCell(mebibytes: number): MemoryCell | { readonly missing: string } {
  const files = findFiles();
  if ('missing' in files) {
    return files;
  }
  cells += 1;
  const dir = path.join(files.parent, `capi-cell-${process.pid}-${cells}`);
  try {
    mkdirSync(dir);
    for (const [file, value] of Object.entries(files.settings(mebibytes * mebibyte))) {
      writeFileSync(path.join(dir, file), value);
    }
  } catch (error) {
    if (existsSync(dir)) {
      rmdirSync(dir);
    }
    return { missing: `no memory cgroup can be created in ${files.parent}: ${toError(error).message}` };
  }
  return {
    processes: path.join(dir, 'cgroup.procs'),
    peakMebibytes: () => Number(readFileSync(path.join(dir, files.peak), 'utf8')) / mebibyte,
    remove: () => rmdirSync(dir),
  };
}

function findFiles(): CellFiles | { readonly missing: string } {
  const own = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8').split('\n') : [];
  const memory = own.find(line => line.split(':')[1]?.split(',').includes('memory') === true);
  if (memory !== undefined) {
    return { ...versionOne, parent: path.join('/sys/fs/cgroup/memory', memory.split(':').slice(2).join(':')) };
  }
  const unified = own.find(line => line.startsWith('0::'));
  if (unified !== undefined && existsSync('/sys/fs/cgroup/cgroup.controllers')) {
    // A group with processes has no groups below it, so the cell is beside the group of this process.
    return { ...versionTwo, parent: path.join('/sys/fs/cgroup', path.dirname(unified.slice('0::'.length))) };
  }
  return { missing: 'this machine has no memory cgroups' };
}

/** Returns the peak of the resident memory of a running process, in MiB. */
export function residentPeakOf(pid: number): number {
  const [, kibibytes = ''] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}

/** Returns the processor time of the process until now, in milliseconds. Undefined if it has ended. */
export function processorMsOf(pid: number): number | undefined {
  const ticksPerSecond = 100; // USER_HZ of Linux
  try {
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    // The fields 14 and 15 of proc(5). Three fields are before the rest.
    const [user, system] = rest.split(' ').slice(11, 13).map(Number);
    return (((user ?? 0) + (system ?? 0)) * 1_000) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
