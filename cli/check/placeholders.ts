// `${NAME}` in files: templates of clusterctl have them, and kubectl does not know them.
// https://cluster-api.sigs.k8s.io/clusterctl/commands/generate-cluster
import type { Finding } from '../../local/findings/finding.ts';
import type { File } from '../../local/findings/subjects.ts';

const placeholder = /\$\{([A-Za-z_]\w*)(?:(?::?[=-])([^}]*))?\}/g;

/** Replaces the placeholders that have a value. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(placeholder, (whole, name: string) => values.get(name) ?? whole);
}

/** Returns one error for all errors of a file at lines with placeholders, because they have one cause. */
export function joinUnsubstituted(findings: readonly Finding[], files: readonly File[]): readonly Finding[] {
  const linesOf = new Map(files.map(({ name, text }) => [name, text.split('\n')]));
  const namesAt = ({ file, line = 0 }: Finding): readonly string[] =>
    [...(linesOf.get(file)?.[line - 1] ?? '').matchAll(placeholder)].map(([, name = '']) => name);
  const isCaused = (finding: Finding): boolean => finding.severity === 'error' && namesAt(finding).length > 0;
  const caused = Map.groupBy(findings.filter(isCaused), ({ file }) => file);
  return findings.flatMap(finding => {
    const group = caused.get(finding.file) ?? [];
    if (!group.includes(finding)) {
      return [finding];
    }
    return group[0] === finding ? [toHint(finding, [...new Set(group.flatMap(namesAt))])] : [];
  });
}

function toHint({ field: _, object: __, ...place }: Finding, names: readonly string[]): Finding {
  const [first = ''] = names;
  const [which, them] = names.length > 1 ? [` and ${names.length - 1} more have`, 'them'] : [' has', 'it'];
  const remedy = `give ${them} with --substitute ${first}=VALUE, or check what clusterctl generate or envsubst prints`;
  const message = `\${${first}}${which} no value: ${remedy}`;
  return { ...place, message };
}
