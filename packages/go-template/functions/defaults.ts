// Defaults and types of values. https://masterminds.github.io/sprig/defaults.html
import { define, defineVariadic, FunctionError, type FunctionTable } from '../call.ts';
import { isTrue, kindOf, type TemplateValue, typeOf } from '../value.ts';

function isEmpty(value: TemplateValue): boolean {
  return !isTrue(value);
}

export const defaultFunctions: FunctionTable = {
  default: defineVariadic(['any'], 'any', ([otherwise], [given]) => (isEmpty(given) ? otherwise : given)),
  coalesce: defineVariadic([], 'any', (_, values) => values.find(value => !isEmpty(value)) ?? null),
  empty: define(['any'], ([value]) => isEmpty(value)),
  all: defineVariadic([], 'any', (_, values) => values.every(isTrue)),
  any: defineVariadic([], 'any', (_, values) => values.some(isTrue)),
  ternary: define(['any', 'any', 'bool'], ([yes, no, which]) => (which ? yes : no)),
  fail: define(['string'], ([why]) => {
    throw new FunctionError(why);
  }),
  typeOf: define(['any'], ([value]) => typeOf(value)),
  typeIs: define(['string', 'any'], ([type, value]) => typeOf(value) === type),
  typeIsLike: define(['string', 'any'], ([type, value]) => [type, `*${type}`].includes(typeOf(value))),
  kindOf: define(['any'], ([value]) => kindOf(value)),
  kindIs: define(['string', 'any'], ([kind, value]) => kindOf(value) === kind),
};
