// The bills of materials of the shipped code and of the complete dependency tree. npm writes them, and this module
// checks that they are complete. Pure. https://cyclonedx.org/docs/1.5/json/
import * as z from 'zod';
import { isFetched, type LockFile, nameAt } from './lock-file.ts';

const componentSchema = z.looseObject({
  'bom-ref': z.string().min(1),
  name: z.string().min(1),
  version: z.string().min(1),
  purl: z.string().startsWith('pkg:npm/'),
  externalReferences: z.array(z.looseObject({ type: z.string() })).default([]),
});

const billSchema = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string().regex(/^1\.\d$/),
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  components: z.array(componentSchema),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })).default([]),
});

export type Bill = z.infer<typeof billSchema>;

/** A package that is part of a bundle. */
interface BundledPackage {
  readonly name: string;
  readonly version: string;
}

/**
 * Returns the bill of materials with the name of the project instead of its folder, and without the hosts of downloads.
 * Throws ZodError.
 */
export function parseBill(text: string, project: string): Bill {
  const bill = billSchema.parse(JSON.parse(text));
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: project } },
    components: bill.components.map(component => ({
      ...component,
      externalReferences: component.externalReferences.filter(({ type }) => type !== 'distribution'),
    })),
  };
}

/** Returns the bill of materials of these packages only, with the dependencies among them. */
export function narrowBill(bill: Bill, packages: readonly BundledPackage[]): Bill {
  const names = new Set(packages.map(toId));
  const components = bill.components.filter(component => names.has(toId(component)));
  const refs = new Set(components.map(component => component['bom-ref']));
  const own = bill.dependencies.find(({ ref }) => !bill.components.some(component => component['bom-ref'] === ref));
  return {
    ...bill,
    components,
    dependencies: bill.dependencies
      .filter(dependency => dependency === own || refs.has(dependency.ref))
      .map(dependency => ({ ...dependency, dependsOn: dependency.dependsOn.filter(ref => refs.has(ref)) })),
  };
}

/**
 * Returns one line for each package that is in a bundle but not in the bill of materials, or that is a development
 * dependency.
 */
export function checkShipped(
  { bill, lock }: { readonly bill: Bill; readonly lock: LockFile },
  packages: readonly BundledPackage[],
): readonly string[] {
  const known = new Set(bill.components.map(toId));
  const runtime = Object.entries(lock.packages)
    .filter(isFetched)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path, { version = '' }]) => toId({ name: nameAt(path), version }));
  const forUsers = new Set(runtime);
  return packages.map(toId).flatMap(id => {
    if (!known.has(id)) {
      return [`${id} is in a bundle and not in the bill of materials; install what is locked: npm ci`];
    }
    return forUsers.has(id) ? [] : [`${id} is in a bundle and a development dependency; move it to dependencies`];
  });
}

function toId({ name, version }: BundledPackage): string {
  return `${name}@${version}`;
}

/**
 * Returns the folders of the packages in the bundles. They are derived from the inputs of the bundler, for example
 * `…/node_modules/@a/b/dist/x.js` → `…/node_modules/@a/b`.
 */
export function toPackageFolders(inputs: readonly string[]): readonly string[] {
  const folders = inputs.flatMap(input => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    return folder === undefined ? [] : [folder];
  });
  return [...new Set(folders)].toSorted();
}
