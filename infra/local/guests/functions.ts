// The functions that providers of the user's own bring: their reconcilers', and the plumbing that has to know their kinds.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Bundle, bundleFunctions, projectRoot } from '../../bundles/bundle.ts';
import { currentBundles } from '../../bundles/current.ts';
import {
  auditFunction,
  type FunctionPlan,
  resyncFunction,
  type SourcePlan,
  toReconcilerFunctions,
  windowedFunction,
} from '../../functions.ts';
import { type Guests, guestResolution } from './load.ts';

type Bundled = readonly Pick<Bundle, 'name' | 'file'>[];

/** What makes the handler of a function that serves a list of declarations. */
const makers = {
  [resyncFunction]: { module: 'functions/resync/resync-handler.ts', name: 'createResyncHandler' },
  [auditFunction.name]: { module: 'functions/audit-webhook/audit-handler.ts', name: 'createAuditHandler' },
  [windowedFunction.name]: {
    module: 'functions/windowed-forwarder/windowed-handler.ts',
    name: 'createWindowedHandler',
  },
} as const;

/** Makes of the functions that run anyway those that run beside the guests. `simulated`: our own provider is there, too. */
export async function addGuests<Plan extends SourcePlan>(
  plans: readonly Plan[],
  { guests, simulated }: { readonly guests: Guests; readonly simulated: boolean },
): Promise<readonly Plan[]> {
  if (guests.providers.length === 0) {
    return plans;
  }
  return Promise.all(
    plans.map(async plan => {
      const maker = Object.hasOwn(makers, plan.name) ? makers[plan.name] : undefined;
      if (maker === undefined) {
        return plan;
      }
      const entry = await writeHandler(guests, plan.name, toServing(plan.name, maker, { guests, simulated }));
      return { ...plan, entry };
    }),
  );
}

/** One for each of their reconcilers. */
export async function toGuestFunctions(guests: Guests): Promise<readonly FunctionPlan[]> {
  const plans = guests.providers.map(async ({ entry, declarations }) => {
    for (const { name } of declarations) {
      await writeHandler(guests, name, toReconciling(entry, name));
    }
    return toReconcilerFunctions(declarations, path.relative(projectRoot, handlersOf(guests)));
  });
  return (await Promise.all(plans)).flat();
}

/** What the guests bring is bundled anew each time: it may import whatever it likes. */
export async function bundleWithGuests(plans: readonly SourcePlan[], guests: Guests): Promise<Bundled> {
  const theirs = path.relative(projectRoot, handlersOf(guests));
  const isTheirs = ({ entry }: SourcePlan): boolean => entry.startsWith(theirs);
  const [ours, brought] = await Promise.all([
    currentBundles(plans.filter(plan => !isTheirs(plan))),
    bundleFunctions(plans.filter(isTheirs), path.join(guests.scratch, 'functions'), guestResolution),
  ]);
  return [...ours, ...brought];
}

function handlersOf({ scratch }: Guests): string {
  return path.join(scratch, 'handlers');
}

/** Its path, relative to the project. */
async function writeHandler(guests: Guests, name: string, lines: readonly string[]): Promise<string> {
  const file = path.join(handlersOf(guests), name, 'handler.ts');
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
  { guests, simulated }: { readonly guests: Guests; readonly simulated: boolean },
): readonly string[] {
  const lists = guests.providers.map((_, index) => `reconcilers${index}`);
  return [
    `import { ${maker.name} } from ${ours(maker.module)};`,
    `import { declarations } from ${ours('functions/declarations.ts')};`,
    ...(simulated ? [`import { localDeclarations } from ${ours('infra/local/provider/declarations.ts')};`] : []),
    ...guests.providers.map(
      ({ entry }, index) => `import { reconcilers as ${lists[index]} } from ${JSON.stringify(entry)};`,
    ),
    `const guests = [${lists.map(list => `...${list}`).join(', ')}].map(({ declaration }) => declaration);`,
    `const all = [...declarations, ${simulated ? '...localDeclarations, ' : ''}...guests];`,
    `export const handler = ${maker.name}(${JSON.stringify(name)}, all);`,
  ];
}

function ours(file: string): string {
  return JSON.stringify(path.join(projectRoot, file));
}
