// `node test/unit/packages/cel/record.ts` records the outcomes of the expressions and schemas in test/fixtures/cel
// again. To add an expression, add its text with an empty outcome. A changed outcome is a change of behaviour. Compare
// it with the outcome of kube-apiserver in test/ports/apiserver/rules.
import { writeFileSync } from 'node:fs';
import { expressionsFile, outcomeOf, outcomeOfSchema, readExpressions, readSchemas, schemasFile } from './outcome.ts';

const expressions = Object.entries(readExpressions()).map(([name, cases]) => [
  name,
  Object.fromEntries(Object.keys(cases).map(text => [text, outcomeOf(text)])),
]);
writeFileSync(expressionsFile, `${JSON.stringify(Object.fromEntries(expressions), undefined, 1)}\n`);

const schemas = readSchemas().map(one => ({ ...one, outcome: outcomeOfSchema(one) }));
writeFileSync(schemasFile, `[\n${schemas.map(one => JSON.stringify(one)).join(',\n')}\n]\n`);
