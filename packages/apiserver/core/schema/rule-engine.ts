// The engines of rules and patterns. They are loaded on first use, so that a server starts without them.
import { createRequire } from 'node:module';

type Rules = typeof import('@capi-serverless/cel');
type Patterns = typeof import('@capi-serverless/apimachinery/pattern');

const require = createRequire(import.meta.url);
let rules: Rules | undefined;
let patterns: Patterns | undefined;

/** The first call loads the engine synchronously. */
export function ruleEngine(): Rules {
  // True: it is the module at this path, which has no top-level await.
  rules ??= require('@capi-serverless/cel') as Rules;
  return rules;
}

/** Like `ruleEngine`, for patterns. */
export function patternEngine(): Patterns {
  patterns ??= require('@capi-serverless/apimachinery/pattern') as Patterns;
  return patterns;
}
