// The object that the operands of `capi-serverless why` name, in the words of kubectl or by its reconciler.
import { type Kind, type Name, pluralOf } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { declarations } from '../../functions/declarations.ts';
import { faces } from '../../functions/faces.ts';
import { UsageError } from '../../local/usage-error.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { ReconcilerFace } from '../../shared/explain/face.ts';
import { isObjectName } from '../../shared/workqueue/object-names.ts';

/** A kind that `why` explains: its face, and the words that select it. */
export interface ExplainedKind {
  readonly face: ReconcilerFace;
  readonly declaration: Declaration;
}

/** An object to explain. */
export interface WhyObject extends ExplainedKind {
  readonly name: Name;
}

/** Each kind once, with the first of its faces. */
export function explainedKinds(): readonly ExplainedKind[] {
  const kinds = new Map<string, ExplainedKind>();
  for (const face of faces) {
    const declaration = declarationOf(face);
    if (!kinds.has(declaration.primary.kind)) {
      kinds.set(declaration.primary.kind, { face, declaration });
    }
  }
  return [...kinds.values()];
}

/**
 * Parses `[NAMESPACE/]NAME` of the default kind, `KIND/NAME`, and `KIND [NAMESPACE/]NAME`. A kind is written as kubectl
 * accepts it, or as the name of its reconciler. A name without namespace is in `namespace`. Throws UsageError.
 */
export function parseWhyObject(operands: readonly string[], namespace: string | undefined): WhyObject {
  const { word, kind, name: text, others } = split(operands);
  const scope = kind.declaration.primary.scope;
  const name = others.length > 0 || text === undefined ? undefined : toName(text, scope, namespace);
  if (name === undefined) {
    throw new UsageError(toUsage(word, kind, namespace));
  }
  return { ...kind, name };
}

interface Operands {
  /** The user's word for the kind. `undefined` if it is the default one. */
  readonly word: string | undefined;
  readonly kind: ExplainedKind;
  readonly name: string | undefined;
  readonly others: readonly string[];
}

/** A first part that is no word for a kind is a namespace. */
function split([first = '', ...rest]: readonly string[]): Operands {
  const whole = kindNamed(first);
  if (whole !== undefined) {
    const [name, ...others] = rest;
    return { word: first, kind: whole, name, others };
  }
  const slash = first.indexOf('/');
  const word = first.slice(0, Math.max(slash, 0));
  const kind = kindNamed(word);
  return kind === undefined
    ? { word: undefined, kind: defaultKind(), name: first, others: rest }
    : { word, kind, name: first.slice(slash + 1), others: rest };
}

function toName(text: string, scope: Kind['scope'], namespace: string | undefined): Name | undefined {
  const parts = text.split('/');
  const [name = '', ofName] = parts.reverse();
  if (parts.length > (scope === 'Cluster' ? 1 : 2) || (ofName !== undefined && namespace !== undefined)) {
    return undefined;
  }
  const named = { namespace: scope === 'Cluster' ? '' : (ofName ?? namespace ?? 'default'), name };
  return isObjectName(named) ? named : undefined;
}

function toUsage(word: string | undefined, { declaration }: ExplainedKind, namespace: string | undefined): string {
  const { kind, scope } = declaration.primary;
  const place = scope === 'Cluster' || namespace !== undefined ? '' : '[NAMESPACE/]';
  return `Name one ${kind} as ${word === undefined ? '' : `${word} `}${place}NAME, as kubectl prints it`;
}

function kindNamed(word: string): ExplainedKind | undefined {
  const face = faces.find(({ name }) => name === word);
  return face === undefined
    ? explainedKinds().find(({ declaration }) => wordsFor(declaration.primary).includes(word.toLowerCase()))
    : { face, declaration: declarationOf(face) };
}

/** The words that kubectl accepts, in lower case. */
function wordsFor({ group, kind }: Kind): readonly string[] {
  const plural = pluralOf(kind);
  const { shortNames = [] } =
    coreCrds.find(({ spec }) => spec.group === group && spec.names.kind === kind)?.spec.names ?? {};
  return [kind.toLowerCase(), plural, `${plural}.${group}`, `${kind.toLowerCase()}.${group}`, ...shortNames];
}

function defaultKind(): ExplainedKind {
  const face = faces.find(({ isDefault }) => isDefault);
  if (face === undefined) {
    throw new Error('No face is the default');
  }
  return { face, declaration: declarationOf(face) };
}

function declarationOf({ name }: ReconcilerFace): Declaration {
  const declaration = declarations.find(each => each.name === name);
  if (declaration === undefined) {
    throw new Error(`There is no declaration of the reconciler ${name}`);
  }
  return declaration;
}
