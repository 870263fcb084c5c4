// Bundles the functions of a local run once. The first runs of the suite start together, and each of them would bundle.
import { currentBundles } from '../../infra/bundles/current.ts';
import { toLocalFunctions } from '../../local/local-functions.ts';
import { localDeclarations } from '../../local/provider/declarations.ts';

export default async function bundled(): Promise<void> {
  await currentBundles(toLocalFunctions(localDeclarations));
}
