// The YAML form of generated manifests.
import { Document, type Node } from 'yaml';

/** Returns a manifest as YAML text, with a header that names its source. */
export function toManifest(source: string, document: Document): string {
  return toManifests(source, [document]);
}

/** Returns several manifests in one text. `again` is the command that generates the file again. */
export function toManifests(
  source: string,
  documents: readonly Document[],
  again = 'change the source and run `npm run generate`',
): string {
  const header = `# Generated from ${source}. Do not edit: ${again}.\n`;
  return header + documents.map(document => document.toString({ lineWidth: 120 })).join('---\n');
}

/** Without anchors. Strings that YAML 1.1 readers would parse as other types have quotes. */
export function toDocument(value: unknown): Document<Node> {
  return new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}
