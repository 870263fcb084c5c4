// The code of the corpus: its kinds, its symbols for random names, its normalization and its comparison. All players
// use it.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Unstructured } from '@capi-serverless/apimachinery';
import { corpusFolder, type ParityScenario } from './corpus.ts';
import type { MachineOrder } from './steps.ts';

interface CorpusKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  /** Whether the kind is cluster-scoped. */
  readonly cluster?: boolean;
}

/** Objects by uid, including deleted objects. */
export type SeenObjects = Map<string, { readonly kind: string; readonly name: string }>;

interface SymbolOptions {
  /** The name in this run by symbol, longest name first. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** The value in this run by `$(name)`. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly seen: SeenObjects;
  /** Whether all core reconcilers of upstream took part in the recording. */
  readonly family: boolean;
  /** Times in the steps of the scenario. They are not replaced. */
  readonly times: readonly string[];
}

/** One request to the API server of a scenario: an API path with its query, and a body. */
export type CorpusRequest = (method: string, path: string, options?: { readonly body?: unknown }) => Promise<unknown>;

/** Plays the providers of Machines. */
export interface CorpusMachines {
  /** The Machines of an order that exist. */
  matching(order: MachineOrder): Promise<readonly unknown[]>;
  /** Plays the existing Machines of the order. */
  round(order: MachineOrder): Promise<void>;
}

/**
 * Replaces the random names, uids and times of one run by symbols, and the symbols of a scenario by values of the run.
 */
export interface Symbols {
  /** The names `Kind/name` of the objects that the scenario created. */
  readonly applied: Set<string>;
  mask(text: string): string;
  resolve<T>(value: T): T;
}

interface State {
  readonly objects: readonly Unstructured[];
  readonly events: readonly Unstructured[];
}

export interface CorpusSnapshot {
  readonly objects: Readonly<Record<string, unknown>>;
  readonly events: unknown;
}

export interface Recording {
  readonly id: string;
  readonly snapshots: readonly (CorpusSnapshot & { readonly name: string; readonly settled?: false })[];
  readonly errors?: readonly { readonly step: number; readonly verb: string; readonly error: string }[];
  /** The number of accepted requests of the functions, by kind and verb. */
  readonly writes: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface SnapshotDifference {
  /** The path in the form `<snapshot>: <Kind>/<name>.<field>`. */
  readonly path: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

export interface CorpusCode {
  readonly kinds: ReadonlyMap<string, CorpusKind>;
  /** The kinds in the snapshots of a scenario. */
  recordedKinds(scenario: Pick<ParityScenario, 'kind'>): readonly string[];
  /** Whether all core reconcilers of upstream took part in the recording. */
  isFamily(scenario: Pick<ParityScenario, 'kind'>): boolean;
  createSymbols(options: SymbolOptions): Symbols;
  createMachines(request: CorpusRequest, namespace: string): CorpusMachines;
  normalise(state: State, symbols: Symbols): CorpusSnapshot;
  /** Returns the accepted requests of a user in the audit log, from an offset in the file. */
  countWrites(file: string, offset: number, user: string, namespaces: readonly string[]): Recording['writes'];
  /** `expected` is the content of result.json. */
  compare(expected: unknown, actual: Recording): readonly SnapshotDifference[];
}

interface Modules {
  readonly kinds: {
    known: CorpusCode['kinds'];
    recorded: CorpusCode['recordedKinds'];
    isFamily: CorpusCode['isFamily'];
  };
  readonly machines: {
    MachinePlayer: new (
      api: { readonly request: CorpusRequest },
      namespace: string,
      log: (line: string) => void,
    ) => CorpusMachines;
  };
  readonly normalise: { Symbols: new (options: SymbolOptions) => Symbols; normalise: CorpusCode['normalise'] };
  readonly audit: { countWrites: CorpusCode['countWrites'] };
  readonly compare: { compare: CorpusCode['compare'] };
}

export async function loadCorpusCode(): Promise<CorpusCode> {
  const [kinds, machines, normalise, audit, compare] = await Promise.all([
    load<Modules['kinds']>('lib/kinds.mjs'),
    load<Modules['machines']>('lib/machines.mjs'),
    load<Modules['normalise']>('lib/normalise.mjs'),
    load<Modules['audit']>('lib/audit.mjs'),
    load<Modules['compare']>('compare.mjs'),
  ]);
  return {
    kinds: kinds.known,
    recordedKinds: kinds.recorded,
    isFamily: kinds.isFamily,
    createSymbols: options => new normalise.Symbols(options),
    createMachines: (request, namespace) => new machines.MachinePlayer({ request }, namespace, () => {}),
    normalise: normalise.normalise,
    countWrites: audit.countWrites,
    compare: compare.compare,
  };
}

async function load<Module>(file: string): Promise<Module> {
  const url = pathToFileURL(path.join(corpusFolder, file)).href;
  return (await import(/* @vite-ignore */ url)) as Module; // true: the corpus is plain JavaScript, and its README describes these exports
}
