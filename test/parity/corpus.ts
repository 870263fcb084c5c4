// The parity corpus: scenarios, and the state that upstream's controllers reached for each scenario. The corpus is not
// part of this project. If it is not available, the suites that need it print one line and are skipped.
import { existsSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import { declarations } from '../../functions/declarations.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { parseStep, type ScenarioStep } from './steps.ts';

const named = process.env['CAPI_PARITY_CORPUS'] ?? '';
/** The folder of the corpus, which CAPI_PARITY_CORPUS names. Empty without it: no other folder is looked for. */
export const corpusFolder = named && path.resolve(projectRoot, named);

/** Declares a suite that plays the corpus. Without a corpus, it is skipped and prints the reason in one line. */
export function describeCorpus(name: string, declare: () => void): void {
  const lack = findLack();
  if (lack === undefined) {
    describe(name, declare);
    return;
  }
  tellSkipped(`Skipped "${name}": ${lack}`);
  describe.skip(name, () => {
    it('needs the parity corpus', () => {});
  });
}

/** Returns why the corpus cannot be played. */
function findLack(): string | undefined {
  if (corpusFolder === '') {
    return 'CAPI_PARITY_CORPUS names no folder of recorded scenarios';
  }
  const needed = ['kinds', 'machines', 'normalise', 'audit'].map(name => `lib/${name}.mjs`);
  const missing = [...needed, 'compare.mjs', 'crds.json'].find(file => !existsSync(path.join(corpusFolder, file)));
  return missing && `${corpusFolder}, which CAPI_PARITY_CORPUS names, holds no ${missing}`;
}

/** Written to the file descriptor directly, because the test runner prints a console line as four lines. */
function tellSkipped(line: string): void {
  writeSync(2, `${line}\n`);
}

const scenarioSchema = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  namespaces: z._default(z.array(z.string()), []),
  steps: z.array(z.unknown()),
});

export interface ParityScenario extends Omit<z.infer<typeof scenarioSchema>, 'steps'> {
  /** The path of its folder relative to the corpus folder. */
  readonly folder: string;
  readonly steps: readonly ScenarioStep[];
}

/** The reconcilers that the scenarios of a kind need. Other kinds need the reconciler with their name. */
const neededReconcilers: Readonly<Record<string, readonly string[]>> = {
  Topology: ['cluster', 'clusterclass', 'machinedeployment-topology', 'machineset-topology', 'topology'],
  MachineSet: ['machineset', 'machine'],
  MachineDeployment: ['machinedeployment', 'machineset', 'machine'],
  MachineHealthCheck: ['machinehealthcheck', 'machine'],
  MachinePool: ['machinepool', 'machine'],
};

/** Scenarios of other kinds also need the reconcilers of these, if they create objects of them. */
const ownersOfMachines = ['MachineDeployment', 'MachineSet', 'MachinePool', 'MachineHealthCheck'];

/** Plays only scenarios whose folder name matches this expression, for example `^k`. */
const wanted = new RegExp(process.env['CAPI_PARITY_SCENARIOS'] ?? '');

/** The scenarios that this project can play, in order. */
export function readScenarios(): readonly ParityScenario[] {
  return readAll().flatMap(({ scenario, lacks }) => (lacks === undefined ? [scenario] : []));
}

/** The scenarios that were recorded with all core reconcilers, also those that this project cannot play. */
export function readFamilyScenarios(): readonly ParityScenario[] {
  return readFolder(familyFolder).map(({ scenario }) => scenario);
}

const familyFolder = 'machines';

/**
 * Prints one line with the number and names of the scenarios that this project cannot play, and the missing features.
 */
export function tellUnplayable(): void {
  const read = readAll();
  const lacking = Map.groupBy(read, ({ lacks }) => lacks);
  lacking.delete(undefined);
  const reasons = [...lacking].map(
    ([lacks, scenarios]) => `${scenarios.map(({ folder }) => path.basename(folder)).join(' ')} (no ${lacks})`,
  );
  if (reasons.length > 0) {
    const number = [...lacking.values()].flat().length;
    tellSkipped(`Skipped ${number} of ${read.length} scenarios of the parity corpus: ${reasons.join(', ')}`);
  }
}

function readAll(): readonly ReadScenario[] {
  return ['.', familyFolder].flatMap(readFolder);
}

interface ReadScenario {
  readonly folder: string;
  readonly scenario: ParityScenario;
  /** The feature that this project does not have. */
  readonly lacks: string | undefined;
}

function readFolder(parent: string): readonly ReadScenario[] {
  const within = path.join(corpusFolder, parent);
  return (existsSync(within) ? readdirSync(within) : [])
    .filter(name => wanted.test(name))
    .filter(name => ['scenario.json', 'result.json'].every(file => existsSync(path.join(within, name, file))))
    .sort()
    .map(name => readScenario(path.join(parent, name)));
}

function readScenario(folder: string): ReadScenario {
  const { steps, ...described } = scenarioSchema.parse(readJson(path.join(corpusFolder, folder, 'scenario.json')));
  const parsed = steps.map(parseStep);
  const family = folder.startsWith(familyFolder);
  const kinds = [described.kind, ...(family ? ownersOfMachines.filter(kind => creates(parsed, kind)) : [])];
  const reconciler = kinds
    .flatMap(kind => neededReconcilers[kind] ?? [kind.toLowerCase()])
    .find(needed => !declarations.some(({ name }) => name === needed));
  const unknown = steps.find((_, index) => parsed[index] === undefined);
  const step = unknown === undefined ? undefined : JSON.stringify(unknown).slice(0, mostOfStep);
  return {
    folder,
    scenario: { ...described, folder, steps: parsed.flatMap(one => (one === undefined ? [] : [one])) },
    lacks: reconciler === undefined ? step && `step ${step}` : `reconciler ${reconciler}`,
  };
}

function creates(steps: readonly (ScenarioStep | undefined)[], kind: string): boolean {
  return steps.some(step => step?.apply?.some(manifest => manifest.kind === kind));
}

const mostOfStep = 40;

/** The recorded result of upstream's controllers. */
export function readResult({ folder }: Pick<ParityScenario, 'folder'>): unknown {
  return readJson(path.join(corpusFolder, folder, 'result.json'));
}

/**
 * Returns the definitions of the scenarios' kinds: those of the provider, and those of Cluster API if the corpus
 * contains them.
 */
export function readCorpusCrds(): readonly CustomResourceDefinition[] {
  const beside = path.join(corpusFolder, '../crds');
  const files = existsSync(beside) ? readdirSync(beside).filter(file => file.endsWith('.yaml')) : [];
  const core = files.flatMap(file =>
    parseAllDocuments(readFileSync(path.join(beside, file), 'utf8')).map(document => document.toJS()),
  );
  const { items } = parse(readFileSync(path.join(corpusFolder, 'crds.json'), 'utf8'));
  return [...core, ...items] as readonly CustomResourceDefinition[]; // true: the API server checks them when they are created
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
