// The objects of a plan: those of an API server, of files, or of files over an API server.
import type { DryRun, ObjectRef, Reads, Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { connect } from '../../local/connect.ts';
import { readStoredObjects, seed } from './files.ts';
import { type GivenChange, giveFiles } from './given-files.ts';
import type { Source } from './options.ts';
import { toReads } from './plan.ts';

export interface PlanWorld {
  readonly reads: Reads;
  /** Absent without an API server. */
  readonly dryRun?: DryRun;
  /** The name of the source for users: a URL, or file names. */
  readonly source: string;
  /** Whether workload clusters are read. */
  readonly probeWorkloads: boolean;
  readonly hasFiles: boolean;
  /** The files over an API server. */
  readonly given?: {
    readonly changes: readonly GivenChange[];
    readonly changed: readonly Unstructured[];
    isGiven(ref: ObjectRef): boolean;
  };
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** Throws UsageError if the source cannot be read. */
export async function openWorld(source: Source): Promise<PlanWorld> {
  switch (source.from) {
    case 'files':
      return openFiles(source.files, source.namespace);
    case 'server':
      return openServer(source.kubeconfig);
    case 'both':
      return openBoth(source);
  }
}

async function openFiles(files: readonly string[], namespace: string): Promise<PlanWorld> {
  const { objects, notes } = await readStoredObjects(files, namespace);
  const { kubernetes, assumptions } = seed(objects, systemClock.now());
  return {
    reads: toReads(kubernetes),
    source: files.join(', '),
    probeWorkloads: false,
    hasFiles: true,
    notes: [...notes, ...assumptions],
    close: async () => undefined,
  };
}

async function openServer(kubeconfig: string): Promise<PlanWorld> {
  const { kubernetes, server, close } = await connect(kubeconfig);
  const { dryRun } = kubernetes;
  return {
    reads: toReads(kubernetes),
    dryRun,
    source: server,
    probeWorkloads: true,
    hasFiles: false,
    notes: [],
    close,
  };
}

/** Only reads and dry runs of the connection are used. */
async function openBoth({ files, namespace, kubeconfig }: Extract<Source, { from: 'both' }>): Promise<PlanWorld> {
  const { objects, notes: ofFiles } = await readStoredObjects(files, namespace);
  const { kubernetes, server, close } = await connect(kubeconfig);
  const { dryRun } = kubernetes;
  try {
    const given = await giveFiles(objects, { reads: toReads(kubernetes), dryRun, now: systemClock.now() });
    const { reads } = given;
    const notes = [...ofFiles, ...given.notes];
    return {
      reads,
      dryRun,
      source: `${files.join(', ')} over ${server}`,
      probeWorkloads: false,
      hasFiles: true,
      given,
      notes,
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
