// The public entry for templates without sprig's functions. It parses and renders names, and adds little code to a
// bundle.
export { type ParsedTemplate, parseTemplate } from './parse.ts';
export { longestPlainTemplate, renderPlainTemplate } from './render-plain.ts';
