// Public entry of templates without sprig's functions: parses and renders names, and adds little code to a bundle.
export { type ParsedTemplate, parseTemplate } from './parse.ts';
export { renderPlainTemplate } from './render-plain.ts';
