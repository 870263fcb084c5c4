// The generated source files: lists that are derived from the declarations. A new reconciler is found by its folder.
import { declarations } from '../functions/declarations.ts';
import type { Output } from './kubernetes/outputs.ts';

const lineWidth = 120;

/** The paths below the project. */
export const generatedSources: readonly Output[] = [
  { path: 'functions/faces.ts', text: toFaces(declarations.map(({ name }) => name)) },
  { path: 'functions/lazy-handlers.ts', text: toHandlers(declarations.map(({ name }) => name)) },
];

/** Imports `explain.ts` of each folder. If this file is missing, the project does not compile. */
function toFaces(names: readonly string[]): string {
  const imports = names.toSorted().map(name => `import { face as ${toIdentifier(name)} } from './${name}/explain.ts';`);
  const lines = [
    '// Generated from functions/reconcilers.ts by `npm run generate`: the public face of each reconciler for commands.',
    "import type { ReconcilerFace } from '../shared/explain/face.ts';",
    ...imports,
    '',
    ...toList('export const faces: readonly ReconcilerFace[] = [', names.map(toIdentifier)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Imports `handler.ts` of each folder on demand. */
function toHandlers(names: readonly string[]): string {
  const lines = [
    '// Generated from functions/reconcilers.ts by `npm run generate`: the handler of each reconciler, for the function of',
    '// all reconcilers. Each one is a chunk of its bundle, loaded on demand.',
    'export const lazyHandlers = {',
    ...names.map(name => `  ${toProperty(name)}: () => import('./${name}/handler.ts'),`),
    '};',
  ];
  return `${lines.join('\n')}\n`;
}

/** Quotes a name that is no identifier, like the formatter. */
function toProperty(name: string): string {
  return /^[a-z]+$/.test(name) ? name : `'${name}'`;
}

/** Breaks lines like the formatter. */
function toList(start: string, items: readonly string[]): readonly string[] {
  const line = `${start}${items.join(', ')}];`;
  return line.length <= lineWidth ? [line] : [start, ...items.map(item => `  ${item},`), '];'];
}

function toIdentifier(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
