// The JSONPath subset of printer columns: members, indexes, wildcards, slices with one item, and filters by equality.
// Pure. https://kubernetes.io/docs/reference/kubectl/jsonpath/
import { memberOf } from '@capi-serverless/apimachinery';

type Step = (value: unknown) => readonly unknown[];

/** Reads every value that the path selects. A path that cannot be parsed selects nothing. */
export function compilePath(path: string): (value: unknown) => readonly unknown[] {
  const steps = parseSteps(path.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, ''));
  return steps === undefined
    ? () => []
    : value => steps.reduce<readonly unknown[]>((values, step) => values.flatMap(step), [value]);
}

const member = /^\.((?:\\.|[^.[\]\\])+)/s;
const wildcard = /^(?:\.\*|\[\*\])/;
const index = /^\[(-?[0-9]+)\]/;
const quoted = /^\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/s;
const filter = /^\[\?\(\s*@((?:\.[A-Za-z0-9_-]+)+)\s*==\s*(?:'([^']*)'|"([^"]*)"|([A-Za-z0-9.-]+))\s*\)\]/;

function parseSteps(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  for (let rest = path; rest !== ''; ) {
    const parsed = parseStep(rest);
    if (parsed === undefined) {
      return undefined;
    }
    steps.push(parsed.step);
    rest = rest.slice(parsed.length);
  }
  return steps;
}

function parseStep(text: string): { readonly step: Step; readonly length: number } | undefined {
  const any = wildcard.exec(text);
  if (any !== null) {
    return { step: membersOf, length: any[0].length };
  }
  const position = index.exec(text);
  if (position !== null) {
    const at = Number(position[1]);
    return { step: value => (Array.isArray(value) ? present(value.at(at)) : []), length: position[0].length };
  }
  const named = member.exec(text) ?? quoted.exec(text);
  if (named !== null) {
    const name = unescaped(named[1] ?? named[2] ?? '');
    return { step: value => present(ownMember(value, name)), length: named[0].length };
  }
  const filtered = filter.exec(text);
  return filtered === null ? undefined : { step: toFilter(filtered), length: filtered[0].length };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

function present(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

function ownMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? memberOf(value, name) : undefined;
}

function membersOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function toFilter([, path = '', single, double, bare]: RegExpExecArray): Step {
  const names = path.split('.').slice(1);
  const wanted = single ?? double ?? bare;
  const matches = (item: unknown): boolean => {
    const found = names.reduce<unknown>(ownMember, item);
    return found !== undefined && String(found) === wanted;
  };
  return value => (Array.isArray(value) ? value.filter(matches) : []);
}
