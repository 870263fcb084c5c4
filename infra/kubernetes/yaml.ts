// The form of generated manifests.
import { Document, type Node } from 'yaml';

/** A manifest as YAML text, headed by where it comes from. */
export function toManifest(source: string, document: Document): string {
  return toManifests(source, [document]);
}

/** Several manifests as one file; `again` says how it is made anew. */
export function toManifests(
  source: string,
  documents: readonly Document[],
  again = 'change the source and run `npm run generate`',
): string {
  const header = `# Generated from ${source}. Do not edit: ${again}.\n`;
  return header + documents.map(document => document.toString({ lineWidth: 120 })).join('---\n');
}

/** Without anchors, and with texts quoted that older YAML readers take for something else, so that every tool reads it. */
export function toDocument(value: unknown): Document<Node> {
  return new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}
