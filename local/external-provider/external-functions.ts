// The functions of external providers: one per reconciler, and the shared functions with the provider's kinds.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Bundle, bundleFunctions, projectRoot } from '../../infra/bundles/bundle.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import {
  auditFunction,
  type FunctionPlan,
  resyncFunction,
  type SourcePlan,
  toReconcilerFunctions,
  windowedFunction,
} from '../../infra/function-plans.ts';
import { type ExternalProviders, externalResolution } from './load.ts';

type Bundled = readonly Pick<Bundle, 'name' | 'file'>[];

/** The factories of handlers that take a list of declarations. */
const makers = {
  [resyncFunction]: { module: 'functions/resync/resync-handler.ts', name: 'createResyncHandler' },
  [auditFunction.name]: { module: 'functions/audit-webhook/audit-handler.ts', name: 'createAuditHandler' },
  [windowedFunction.name]: {
    module: 'functions/windowed-forwarder/windowed-handler.ts',
    name: 'createWindowedHandler',
  },
} as const;

/**
 * Extends the shared functions with the kinds of external providers. `simulated` also includes the kinds of the
 * simulated provider.
 */
export async function withExternalProviders<Plan extends SourcePlan>(
  plans: readonly Plan[],
  { external, simulated }: { readonly external: ExternalProviders; readonly simulated: boolean },
): Promise<readonly Plan[]> {
  if (external.providers.length === 0) {
    return plans;
  }
  return Promise.all(
    plans.map(async plan => {
      const maker = Object.hasOwn(makers, plan.name) ? makers[plan.name] : undefined;
      if (maker === undefined) {
        return plan;
      }
      const entry = await writeHandler(external, plan.name, toServing(plan.name, maker, { external, simulated }));
      return { ...plan, entry };
    }),
  );
}

/** Returns one function for each reconciler. */
export async function toExternalFunctions(external: ExternalProviders): Promise<readonly FunctionPlan[]> {
  const plans = external.providers.map(async ({ entry, declarations }) => {
    for (const { name } of declarations) {
      await writeHandler(external, name, toReconciling(entry, name));
    }
    return toReconcilerFunctions(declarations, path.relative(projectRoot, handlersOf(external)));
  });
  return (await Promise.all(plans)).flat();
}

/** The functions of external providers are bundled at each start, because their imports are not known in advance. */
export async function bundleWithExternal(
  plans: readonly SourcePlan[],
  external: ExternalProviders,
  onBundled?: () => void,
): Promise<Bundled> {
  const theirs = path.relative(projectRoot, handlersOf(external));
  const isTheirs = ({ entry }: SourcePlan): boolean => entry.startsWith(theirs);
  const [ours, brought] = await Promise.all([
    currentBundles(
      plans.filter(plan => !isTheirs(plan)),
      onBundled,
    ),
    bundleFunctions(plans.filter(isTheirs), path.join(external.scratch, 'functions'), externalResolution),
  ]);
  for (const _ of brought) {
    onBundled?.();
  }
  return [...ours, ...brought];
}

function handlersOf({ scratch }: ExternalProviders): string {
  return path.join(scratch, 'handlers');
}

/** The path of the handler, relative to the project. */
async function writeHandler(external: ExternalProviders, name: string, lines: readonly string[]): Promise<string> {
  const file = path.join(handlersOf(external), name, 'handler.ts');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${lines.join('\n')}\n`);
  return path.relative(projectRoot, file);
}

function toReconciling(entry: string, name: string): readonly string[] {
  return [
    `import { providerHandler } from ${ours('infra/package/lambda.ts')};`,
    `import { reconcilers } from ${JSON.stringify(entry)};`,
    `export const handler = providerHandler(reconcilers, ${JSON.stringify(name)});`,
  ];
}

function toServing(
  name: string,
  maker: { readonly module: string; readonly name: string },
  { external, simulated }: { readonly external: ExternalProviders; readonly simulated: boolean },
): readonly string[] {
  const lists = external.providers.map((_, index) => `reconcilers${index}`);
  return [
    `import { ${maker.name} } from ${ours(maker.module)};`,
    `import { declarations } from ${ours('functions/declarations.ts')};`,
    ...(simulated ? [`import { localDeclarations } from ${ours('local/provider/declarations.ts')};`] : []),
    ...external.providers.map(
      ({ entry }, index) => `import { reconcilers as ${lists[index]} } from ${JSON.stringify(entry)};`,
    ),
    `const external = [${lists.map(list => `...${list}`).join(', ')}].map(({ declaration }) => declaration);`,
    `const all = [...declarations, ${simulated ? '...localDeclarations, ' : ''}...external];`,
    `export const handler = ${maker.name}(${JSON.stringify(name)}, all);`,
  ];
}

function ours(file: string): string {
  return JSON.stringify(path.join(projectRoot, file));
}
