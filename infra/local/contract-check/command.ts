// Reads files and server, checks what is there and prints what was found.

import { isDefinition } from '../check/as-stored.ts';
import { readFiles } from '../check/command.ts';
import { inOrder } from '../check/finding.ts';
import { type CheckReport, printReport } from '../check/report.ts';
import { type File, readSubjects } from '../check/subjects.ts';
import { connect } from '../connect.ts';
import { exitCodes } from '../drive.ts';
import { checkFiles, checkItems } from './check-contract.ts';
import { readLive } from './live.ts';
import type { ContractOptions } from './options.ts';

/** Resolves with the exit code. Throws UsageError for a file or a server that cannot be read. */
export async function checkContractOnce(options: ContractOptions, print: (text: string) => void): Promise<number> {
  const files = (await Promise.all(options.files.map(readFiles))).flat();
  const told = checkFiles(files);
  const live = options.kubeconfig === undefined ? undefined : await checkServer(options.kubeconfig, files);
  const report = live === undefined ? told : join(told, live);
  print(printReport(report, options.format));
  const isWrong = report.findings.some(({ severity }) => options.strict || severity === 'error');
  return isWrong ? exitCodes.notReady : exitCodes.done;
}

async function checkServer(kubeconfig: string, files: readonly File[]): Promise<CheckReport> {
  const objects = readSubjects(files).subjects.map(({ object }) => object);
  const names = objects.filter(isDefinition).map(({ metadata }) => metadata.name);
  const { kubernetes, server, close } = await connect(kubeconfig);
  try {
    const { items, notes } = await readLive(kubernetes, { names, server });
    const report = checkItems(items);
    return { ...report, notes: [...report.notes, ...notes] };
  } finally {
    await close();
  }
}

function join(one: CheckReport, other: CheckReport): CheckReport {
  return {
    objects: one.objects + other.objects,
    findings: inOrder([...one.findings, ...other.findings]),
    notes: [...new Set([...one.notes, ...other.notes])],
  };
}
