// The definitions of a provider's kinds: refused with place and remedy before any server is asked.
import * as z from 'zod/mini';
import type { Intent } from '../../../shared/api/object.ts';
import { toSchemaProblem } from '../../../shared/api/schema-problem.ts';
import type { Declaration } from '../../../shared/kernel/types.ts';
import { crdNameOf } from '../../../shared/names/plural.ts';
import { isDefinition } from '../check/as-stored.ts';
import { toLine } from '../check/report.ts';
import { type File, readSubjects } from '../check/subjects.ts';
import { checkFiles } from '../contract-check/check-contract.ts';
import type { InstallableDefinition } from '../crds.ts';
import { UsageError } from '../options.ts';
import { definitionNames, type ProviderFolder } from './folder.ts';

export interface GuestDefinition {
  readonly crd: InstallableDefinition;
  /** The file that it stands in. */
  readonly file: string;
}

const filled = z.string().check(z.minLength(1));
const installableSchema = z.looseObject({
  spec: z.looseObject({
    group: filled,
    names: z.looseObject({ kind: filled }),
    versions: z
      .array(
        z.looseObject({
          name: filled,
          served: z.boolean(),
          subresources: z.optional(z.looseObject({})),
        }),
      )
      .check(z.minLength(1)),
  }),
});

const mostFindings = 3;

/**
 * What the provider's files define. Throws UsageError for a file that cannot be read as manifests, for a definition that
 * departs from the provider contract, and where the kind of a reconciler is not among them and nobody else's.
 */
export function readDefinitions(
  { name: folder, definitions: files }: Pick<ProviderFolder, 'name' | 'definitions'>,
  declarations: readonly Declaration[],
): readonly GuestDefinition[] {
  refuseFindings(files, declarations);
  const definitions = readSubjects(files)
    .subjects.filter(({ object }) => isDefinition(object))
    .map(({ object, manifest: { fileName } }) => ({ crd: toInstallable(object, fileName), file: fileName }));
  for (const { primary } of declarations) {
    const wanted = crdNameOf(primary);
    if (primary.group !== coreGroup && !definitions.some(({ crd }) => crd.metadata.name === wanted)) {
      throw new UsageError(
        `Provider ${folder} defines no ${wanted}, the kind that it reconciles; write the CustomResourceDefinition to ${folder}/${definitionNames[0]}`,
      );
    }
  }
  return definitions;
}

const coreGroup = 'cluster.x-k8s.io';

function toInstallable(object: Intent, file: string): InstallableDefinition {
  const parsed = installableSchema.safeParse(object);
  if (!parsed.success) {
    throw new UsageError(
      `${file}: CustomResourceDefinition ${object.metadata.name}: ${toSchemaProblem(parsed.error)}; npm run check-contract -- ${file} tells more`,
    );
  }
  // Parsed just above; the schema is of the parts that are read, and keeps the others.
  return object as InstallableDefinition;
}

/** Warnings are none of a start's business. */
function refuseFindings(files: readonly File[], declarations: readonly Declaration[]): void {
  // A kind that only its actuator works on plays no part in the provider contract.
  const own = declarations
    .filter(({ watches }) => watches.length === 1)
    .map(({ primary }) => `CustomResourceDefinition ${crdNameOf(primary)}`);
  const errors = checkFiles(files).findings.filter(
    ({ severity, object = '' }) => severity === 'error' && !own.includes(object),
  );
  if (errors.length > 0) {
    const more = errors.length - mostFindings;
    const told = errors.slice(0, mostFindings).map(toLine).join('; ');
    const names = [...new Set(errors.map(({ file }) => file))].join(' ');
    throw new UsageError(`${told}${more > 0 ? `; and ${more} more: npm run check-contract -- ${names}` : ''}`);
  }
}
