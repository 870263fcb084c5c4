// The hermetic text functions of sprig 3.3. https://masterminds.github.io/sprig/
import type { FunctionTable } from '../call.ts';
import { dateFunctions } from './dates.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { digestFunctions } from './digests.ts';
import { encodingFunctions } from './encodings.ts';
import { jsonFunctions } from './json.ts';
import { listFunctions } from './lists.ts';
import { mathFunctions } from './math.ts';
import { pathFunctions } from './paths.ts';
import { regexFunctions } from './regexes.ts';
import { textFunctions } from './texts.ts';
import { unrepeatableFunctions } from './unrepeatable.ts';
import { urlFunctions } from './urls.ts';
import { versionFunctions } from './versions.ts';
import { wordFunctions } from './words.ts';

export const sprigFunctions: FunctionTable = {
  ...textFunctions,
  ...wordFunctions,
  ...mathFunctions,
  ...defaultFunctions,
  ...listFunctions,
  ...dictFunctions,
  ...jsonFunctions,
  ...encodingFunctions,
  ...digestFunctions,
  ...regexFunctions,
  ...versionFunctions,
  ...pathFunctions,
  ...urlFunctions,
  ...dateFunctions,
  ...unrepeatableFunctions,
};
