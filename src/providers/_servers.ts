/**
 * Services and servers that speak OpenAI's API, by the name that stands before a model (`-m groq/MODEL`): where they are,
 * and the variables that hold a key. An API with a file of its own is found by the file's name in the same way.
 */
export interface Server {
  base: string
  /** The variable that holds the key; a server on this machine needs none. */
  key: string
}

const server = (base: string, key: string): Server => ({ base, key })

export const SERVERS: Record<string, Server> = {
  openai: server('https://api.openai.com/v1', 'OPENAI_API_KEY'),
  openrouter: server('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  together: server('https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  groq: server('https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  deepseek: server('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  litellm: server('http://localhost:4000/v1', 'LITELLM_API_KEY'),
  vllm: server('http://localhost:8000/v1', 'VLLM_API_KEY'),
  sglang: server('http://localhost:30000/v1', 'SGLANG_API_KEY'),
  llamacpp: server('http://localhost:8080/v1', 'LLAMA_API_KEY'),
  tgi: server('http://localhost:3000/v1', 'TGI_API_KEY'),
}

/** Variables that name another base URL for it. */
export const baseNamesOf = (name: string): string[] =>
  ['BASE_URL', 'API_BASE'].map((end) => `${name.toUpperCase()}_${end}`)
