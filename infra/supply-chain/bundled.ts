// The packages in bundles, with their licence texts.
import path from 'node:path';
import { projectRoot } from '../bundles/bundle.ts';
import { toPackageFolders } from './bill-of-materials.ts';
import { readNotice } from './installed.ts';
import type { Notice } from './notices.ts';

/** The part of esbuild's metafile that names the bundled files. */
export interface BundledInputs {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

export function readBundled(metafiles: readonly BundledInputs[]): readonly Notice[] {
  const outputs = metafiles.flatMap(metafile => Object.values(metafile.outputs));
  const inputs = outputs.flatMap(output => Object.keys(output.inputs));
  return toPackageFolders(inputs).map(folder => readNotice(path.join(projectRoot, folder)));
}
