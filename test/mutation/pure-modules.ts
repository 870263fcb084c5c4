// The modules without I/O, clock and randomness: one list for the arrows, for coverage and for mutation.
import path from 'node:path';

/** The pure part of a reconciler, relative to its folder. */
export const pureParts = ['{decide,plan,report}.ts', '{phases,conditions,plan,preview,why}/**/*.ts'];

/** Glob patterns. Tests cover every line and branch of these files, and mutation sets contain every file. */
export const coveredModules = [
  'shared/kernel/**/*.ts',
  'packages/{apimachinery,cluster-api,reconciler}/**/*.ts',
  'shared/{admission,conversion,variables}/**/*.ts',
  'shared/runtime-hooks/rules/**/*.ts',
  'shared/{external,machine-collections,names,server-side-apply,template-cleanup,topology}/**/*.ts',
  ...pureParts.map(part => `functions/*/${part}`),
];

/** Pure modules without a threshold of coverage: types, ports, schemas of definitions, a helper of caches, and two languages. */
const uncoveredModules = [
  'functions/*/seen.ts',
  'shared/api/**/*.ts',
  'shared/bounded-map.ts',
  'shared/explain/{conditions,explanation,find-order,kubectl,object-view,referred,replica-causes,remedies,topology-waits,tree,urgency}.ts',
  'shared/workload/{api,port}.ts',
  'packages/{cel,go-template}/**/*.ts',
];

/** Covered modules that are not pure, because they call ports or read the clock. */
const impureModules = [
  'shared/{kernel,template-cleanup}/**/*.ts',
  'shared/external/read-{owning-cluster,referenced}.ts',
  'functions/*/preview/observe-preview.ts',
  'functions/*/why/describe*.ts',
  'packages/apimachinery/system-clock.ts',
  'packages/reconciler/{act,pass,record-events,retry-after,runner,write-status}.ts',
];

/** All patterns of this file. A test fails if one of them matches no file. */
export const modulePatterns = [...coveredModules, ...uncoveredModules, ...impureModules];

const pureFiles = new Map<string, boolean>();

/** Returns true if the file must be pure. The path is relative to the project. */
export function isPureModule(file: string): boolean {
  const known =
    pureFiles.get(file) ?? (isAny([...coveredModules, ...uncoveredModules], file) && !isAny(impureModules, file));
  pureFiles.set(file, known);
  return known;
}

function isAny(globs: readonly string[], file: string): boolean {
  return globs.some(glob => path.matchesGlob(file, glob));
}
