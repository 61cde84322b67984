/** Tab completion for bash, zsh and fish from the filters' option tables: the build writes it to dist/completion/. */

import { Catalogue } from '../src/files/data.ts'
import { members } from '../src/files/members.ts'
import { type FilterSpec, type HelpTable, type Option, withNames } from '../src/options/option.ts'
import { allOptions } from '../src/run/arguments.ts'
import { serviceNames } from '../src/stages/call/service.ts'

/** What a shell offers: the words of each option's value and of the first operand; files too where `files`. */
interface Offer {
  words: string[]
  files: boolean
}

const JUDGES = new Catalogue('judges').names()
const CRITERIA = new Catalogue('criteria').names()
const PRICES = (await new Catalogue('providers').data('prices')) as { models: object; shut: object }
/** Listed models that no service has shut, or will, and what stands before any other. */
const MODELS = [
  ...members('baselines').map((name) => `baseline:${name}`),
  ...Object.keys(PRICES.models).filter((name) => !(name in PRICES.shut)),
  ...serviceNames().map((name) => `${name}/`),
]

/** Values by the word that stands for them in help. */
const offerOf = async ({ name, value, choices, names }: Option): Promise<Offer> => {
  if (choices) return { words: [...choices], files: false }
  if (names && value === 'NAME') return { words: [...(await names())], files: false }
  if (value === 'JUDGE') return { words: JUDGES, files: true }
  if (name === 'criteria') return { words: CRITERIA, files: true }
  if (name === 'model') return { words: MODELS, files: false }
  return { words: [], files: /FILE|DIR|PREFIX/.test(value ?? '') }
}

function firstOperand({ operands, all }: HelpTable): Offer {
  if (operands.startsWith('JUDGE')) return { words: JUDGES, files: true }
  if (all.length > 0) return { words: all.map(({ name }) => name), files: operands.startsWith('[') }
  return { words: [], files: true }
}

/** A script for each shell, for these filters; reading it again does no harm. */
export async function completions(
  filters: readonly string[],
): Promise<Record<'bash' | 'zsh' | 'fish', string>> {
  const tables = await Promise.all(
    filters.map(async (name) => {
      const spec = await withNames((await import(`../src/stages/${name}/options.ts`)).spec as FilterSpec)
      const own = allOptions(spec)
      // Options of all members: which of them is meant shows only once its name is typed.
      const theirs = spec.all.flatMap(({ options }) => options)
      const once = new Map([...theirs, ...own].map((option) => [option.name, option]))
      const options = [...once.values()].map(async (option) => ({ option, offer: await offerOf(option) }))
      return { spec, options: await Promise.all(options), first: firstOperand(spec) }
    }),
  )
  return { bash: bash(tables), zsh: zsh(tables), fish: fish(tables) }
}

/** Words of jb-filters that are no filter; `doctor` takes the options of jb-call. */
const OTHERS = ['help', 'doctor']

/** The filters as jb-filters names them. */
const shortNames = (tables: readonly Table[]) => tables.map(({ spec }) => spec.name.slice('jb-'.length))

type Table = { spec: HelpTable; options: { option: Option; offer: Offer }[]; first: Offer }

/** The options that take a value: what follows one is no operand. */
const valued = (options: Table['options']) =>
  options.filter(({ option }) => option.type !== 'boolean').flatMap(({ option }) => forms(option))

const forms = ({ name, short }: Option) => [...(short ? [`-${short}`] : []), `--${name}`]

function bash(tables: Table[]): string {
  const cases = tables.map(({ spec, options, first }) => {
    const values = options
      .filter(({ option }) => option.type !== 'boolean')
      .map(
        ({ option, offer }) =>
          `        ${forms(option).join('|')}) value=1 words='${offer.words.join(' ')}' files=${offer.files ? 1 : ''} ;;`,
      )
    // Only the first operand may be one of the words.
    return `    ${spec.name})
      ${first.words.length > 0 ? `valued=' ${valued(options).join(' ')} '\n      ` : ''}options='${options.map(({ option }) => `--${option.name}`).join(' ')}'
      case $before in
${values.join('\n')}
        *) words='${first.words.join(' ')}' files=1 ;;
      esac
      ;;`
  })
  return `# bash completion of the jb filters: source <(jb-read --completion bash)
_jb() {
  local line word before value= words= files= options= valued= item skip= names='${shortNames(tables).join(' ')}'
  # One word, also where bash has cut it at = or :.
  line=\${COMP_LINE:0:COMP_POINT}
  if [[ $1 == jb-filters ]]; then
    word=\${line#*[[:space:]]}
    # The rest of the line is completed as that of the filter.
    if [[ $word =~ ^[[:space:]]*(jb-)?([a-z]+)[[:space:]] ]]; then
      item=\${BASH_REMATCH[2]/#doctor/call}
      local COMP_LINE="jb-$item \${word#*[a-z][[:space:]]}"
      local COMP_POINT=\${#COMP_LINE}
      if [[ $item == help ]]; then COMPREPLY=($(compgen -W "$names" -- "\${word##*[[:space:]]}"))
      else _jb "jb-$item"
      fi
    else COMPREPLY=($(compgen -W "$names ${OTHERS.join(' ')}" -- "\${word##*[[:space:]]}"))
    fi
    return
  fi
  word=\${line##*[[:space:]]}
  line=\${line%"$word"}
  line=\${line%"\${line##*[![:space:]]}"}
  before=\${line##*[[:space:]]}
  if [[ $word == --*=* ]]; then
    before=\${word%%=*}
    word=\${word#*=}
  fi
  case $1 in
${cases.join('\n')}
  esac
  if [[ -z $value && $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  if [[ $valued && -z $value ]]; then
    for item in \${line#* }; do
      if [[ $skip ]]; then skip=
      elif [[ $valued == *" $item "* ]]; then skip=1
      elif [[ $item != -* && $item != "$line" ]]; then words=
      fi
    done
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ $files && ( -n $value || \${#COMPREPLY[@]} -eq 0 ) ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$word"))
  fi
  # Of a word with a colon bash replaces what follows the last one.
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local i head=\${word%"\${word##*:}"}
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$head"}; done
  fi
}
complete -F _jb ${tables.map(({ spec }) => spec.name).join(' ')} jb-filters
`
}

function zsh(tables: Table[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const about = (text: string) => text.replaceAll('\\', '\\\\').replace(/[[\]:]/g, '\\$&')
  const action = ({ words, files }: Offer) => {
    if (files) return words.length > 0 ? `{_jb_words_and_files ${words.join(' ')}}` : '_files'
    return words.length > 0 ? `(${words.map((word) => word.replaceAll(':', '\\:')).join(' ')})` : ' '
  }
  const cases = tables.map(({ spec, options, first }) => {
    const lines = options.map(({ option, offer }) => {
      const all = forms(option)
      const again = option.type === 'list' ? '*' : all.length > 1 ? `(${all.join(' ')})` : ''
      const value = option.type === 'boolean' ? '' : `:${about(option.value ?? option.name)}:${action(offer)}`
      return all.map((form) => {
        const long = form.startsWith('--') && option.type !== 'boolean' ? '=' : ''
        return quoted(`${again}${form}${long}[${about(option.about)}]${value}`)
      })
    })
    const operands =
      first.words.length > 0 ? [quoted(`1:${about(spec.operands.split(' ')[0]!)}:${action(first)}`)] : []
    return `    ${spec.name})
      _arguments -s -S \\
${[...lines.flat(), ...operands, quoted('*:file:_files')].map((line) => `        ${line}`).join(' \\\n')}
      ;;`
  })
  const names = [...tables.map(({ spec }) => spec.name), 'jb-filters'].join(' ')
  const short = shortNames(tables).join(' ')
  return `#compdef ${names}
# zsh completion of the jb filters: in a folder of $fpath as _jb, or, after compinit, source <(jb-read --completion zsh)
_jb_words_and_files() {
  local expl
  _wanted values expl value compadd -- "$@"
  _files
}
_jb() {
  case $service in
${cases.join('\n')}
    jb-filters)
      local state line
      _arguments -C '1:filter:(${short} ${OTHERS.join(' ')})' '*::rest:->rest'
      [[ $state == rest ]] || return
      # The rest of the line is completed as that of the filter.
      case $words[1] in
        help) _arguments '1:filter:(${short})' ;;
        doctor) service=jb-call; _jb ;;
        *) service=jb-\${words[1]#jb-}; _jb ;;
      esac
      ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _jb "$@"; else compdef _jb ${names}; fi
`
}

function fish(tables: Table[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = tables.flatMap(({ spec, options, first }) => [
    `complete -c ${spec.name} -e`,
    ...(first.words.length > 0
      ? [
          `complete -c ${spec.name} -n '__jb_first ${valued(options).join(' ')}' -a ${quoted(first.words.join(' '))}`,
        ]
      : []),
    ...options.map(({ option, offer }) => {
      // Words without a description of their own would have the option's, each of them.
      const value = option.type === 'boolean' ? '' : offer.files ? ' -r -F' : ' -x'
      const words =
        offer.words.length > 0 ? ` -a ${quoted(offer.words.map((word) => `${word}\\t`).join(' '))}` : ''
      return `complete -c ${spec.name}${option.short ? ` -s ${option.short}` : ''} -l ${option.name}${value}${words} -d ${quoted(option.about)}`
    }),
  ])
  return `# fish completion of the jb filters: jb-read --completion fish > ~/.config/fish/completions/jb.fish, or | source
# No operand stands before the cursor; given the options that take a value.
function __jb_first
    set -l skip
    for item in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
        else if contains -- $item $argv
            set skip 1
        else if not string match -q -- '-*' $item
            return 1
        end
    end
end
# The rest of a line of jb-filters, as that of the filter.
function __jb_rest
    set -l words (commandline -opc) (commandline -ct)
    set -l name (string replace -r '^jb-' '' -- $words[2])
    if test $name = doctor
        set name call
    end
    complete -C (string join ' ' -- jb-$name $words[3..-1])
end
complete -c jb-filters -e
complete -c jb-filters -f
complete -c jb-filters -n __fish_is_first_arg -a '${[...shortNames(tables), ...OTHERS].join(' ')}'
complete -c jb-filters -n 'not __fish_is_first_arg; and not __fish_seen_subcommand_from help' -a '(__jb_rest)'
complete -c jb-filters -n '__fish_seen_subcommand_from help' -a '${shortNames(tables).join(' ')}'
${lines.join('\n')}\n`
}
