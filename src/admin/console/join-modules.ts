/** The forms of imports and exports that the pages have; the compiler writes other quotes than we do. */
const IMPORT = /^import (?:(\w+)|\{([^}]*)\}) from ['"]([^'"]+)['"];$/gm;
const EXPORT = /^export (?=(?:async function|function|const|class) (\w+))/gm;
const UNKNOWN_FORM = /^(?:import|export)\b.*$/m;

/** The name of a module, from the relative path by which another module imports it. */
const nameFrom = (importer: string, way: string) => new URL(way, `file:///${importer}`).pathname.slice(1);

/** What an import brings, as a pattern of a declaration has it. */
function patternOf(whole: string | undefined, names = ''): string {
  return whole === undefined ? names.trim().replaceAll(/\b(\w+) as (\w+)/g, '$1: $2') : `default: ${whole}`;
}

/**
 * Joins modules to one script. A browser then makes one request, and text that several modules share is compressed once:
 * that makes what is sent a third smaller. Each module becomes a function that runs once, in the order of imports. Libraries
 * stay imports. `texts` has the modules by their names, which are paths within one folder; `entry` is one of these names.
 * @throws Error if one is missing, or has a form of import or export that the pages do not have
 */
export function joinModules(entry: string, texts: ReadonlyMap<string, string>): string {
  const libraries = new Map<string, string>();
  const joined = new Map<string, string>();
  const parts: string[] = [];

  function addLibrary(name: string): string {
    const known = libraries.get(name) ?? `library${libraries.size}`;
    libraries.set(name, known);
    return known;
  }

  function addModule(name: string): string {
    const known = joined.get(name);
    if (known !== undefined) return known;
    const id = `module${joined.size}`;
    joined.set(name, id);
    const text = texts.get(name);
    if (text === undefined) throw new Error(`the console has no module ${name}`);
    const body = text.replaceAll(IMPORT, (_all, whole: string | undefined, names: string, from: string) => {
      const of = from.startsWith('.') ? addModule(nameFrom(name, from)) : addLibrary(from);
      return `const { ${patternOf(whole, names)} } = ${of};`;
    });
    const exported = [...body.matchAll(EXPORT)].map(([, one]) => one);
    const rest = body.replaceAll(EXPORT, '');
    const left = UNKNOWN_FORM.exec(rest);
    if (left !== null) throw new Error(`${name} cannot be joined for its line ${left[0]}`);
    parts.push(`const ${id} = (() => {\n${rest}return { ${exported.join(', ')} };\n})();\n`);
    return id;
  }

  addModule(entry);
  const imports = [...libraries].map(([name, id]) => `import * as ${id} from '${name}';\n`);
  return [...imports, ...parts].join('');
}
