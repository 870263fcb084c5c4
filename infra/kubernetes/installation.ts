// The manifests of an installation: those of some generated folders.
import { posix } from 'node:path';
import { type Intent, toDisplayName, toRef } from '@capi-serverless/apimachinery';
import { parseAllDocuments } from 'yaml';
import { outputs } from './outputs.ts';

/** Returns the manifests of these folders. An object of several folders is returned once. */
export function manifestsOf(folders: readonly string[]): readonly Intent[] {
  const objects = outputs
    .filter(({ path }) => folders.includes(posix.dirname(path)) && posix.basename(path) !== 'kustomization.yaml')
    // True: each document is a manifest of this project. Objects of namespaced kinds name their namespace.
    .flatMap(({ text }) => parseAllDocuments(text).map(document => document.toJS() as Intent));
  return [...new Map(objects.map(object => [`${object.kind} ${toDisplayName(toRef(object))}`, object])).values()];
}
