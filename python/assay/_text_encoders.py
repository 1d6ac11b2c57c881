"""Encoders of texts, pairs of texts and words: transformers with a tokenizer, and sentence-transformers."""
import numpy as np

from ._encoders import FINAL, Encoder, Evaluating, device_of, library, quiet_progress, to_rows, torch_module, weights_digest

_LONGEST = 512  # pieces, where neither tokenizer nor model say what they take


class Transformer(Encoder):
    """A model of transformers: hidden states, pooled over the pieces of a text or of each word.

    Its layers are "0" (the embeddings) to "L".
    """

    def __init__(self, model, tokenizer, name, items, options):
        super().__init__(name, options)
        if getattr(model.config, "is_encoder_decoder", False):
            model = model.get_encoder()
            self.notes.append(f"{name}: of an encoder and decoder, the encoder is used")
        self._device = device_of(options)
        self._model, self._tokenizer, self._kind = model.to(self._device), tokenizer, items.kind
        self._pool = options.pool or ("first" if items.kind == "words" else "mean")
        known = ("first", "last", "mean") if items.kind == "words" else ("mean", "cls", "last", "max")
        if self._pool not in known:
            raise ValueError(f"{name}: pool '{self._pool}': expected one of {', '.join(known)}")
        self._pair = (options.pair or "cross") if items.kind == "pair" else None
        if self._pair not in (None, "cross", "bi"):
            raise ValueError(f"pair '{self._pair}': expected cross (one text of both) or bi (each by itself)")
        self._longest = _longest_input(model.config, tokenizer, options)
        self._cut = 0
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
        self.outputs = self._outputs(options.layers)

    def _outputs(self, layers):
        if layers is None:
            return [FINAL]
        count = getattr(self._model.config, "num_hidden_layers", None) or getattr(self._model.config, "num_layers", None)
        names = [str(layer) for layer in range(count + 1)]
        if layers == "all":
            return names
        chosen = [str(layer + count + 1) if isinstance(layer, int) and layer < 0 else str(layer) for layer in layers]
        unknown = [layer for layer in chosen if layer not in names]
        if unknown:
            raise ValueError(f"{self.name}: no layer '{unknown[0]}'; it has 0 (embeddings) to {count}")
        return chosen

    def length(self, item):
        return sum(map(len, item)) if isinstance(item, (tuple, list)) else len(item)

    def recipe(self):
        tokenizer = self._tokenizer
        vocabulary = len(tokenizer)
        probe = tokenizer("The naïve 12 quick-brown foxes; été.", truncation=True, max_length=self._longest)["input_ids"]
        return (f"text {self._kind} {self._pair} pool {self._pool} longest {self._longest} precision {self.options.precision or 'fp32'} "
                f"tokenizer {type(tokenizer).__name__} {vocabulary} {probe}")

    def weights(self):
        return weights_digest(self._model)

    def encode(self, items):
        if self._pair == "bi":
            first, second = (self._states([item[side] for item in items]) for side in (0, 1))
            return {name: _pair_features(first[name], second[name]) for name in first}
        return self._states(items)

    def _tokens(self, items):
        texts = dict(text=[a for a, _ in items], text_pair=[b for _, b in items]) if self._pair == "cross" else dict(text=items)
        tokens = self._tokenizer(**texts, is_split_into_words=self._kind == "words", padding=True, truncation=True,
                                 max_length=self._longest, return_tensors="pt")
        width = tokens["input_ids"].shape[1]
        if width >= self._longest and self._kind != "words":
            self._cut += int((tokens["attention_mask"].sum(dim=1) >= self._longest).sum())
        return tokens

    def finish(self):
        if self._cut:
            self.notes.append(f"{self.name}: {self._cut} texts have {self._longest} pieces or more and may have been cut there")

    def _states(self, items):
        torch = torch_module()
        tokens = self._tokens(items)
        given = {key: value.to(self._device) for key, value in tokens.items()}
        every = self.outputs != [FINAL]
        with Evaluating(self._model, self.options):
            found = self._model(**given, output_hidden_states=every)
            states = {name: found.hidden_states[int(name)] for name in self.outputs} if every else {FINAL: found.last_hidden_state}
            if self._kind == "words":
                return {name: self._words(state, tokens, items) for name, state in states.items()}
            mask = given.get("attention_mask")
            mask = torch.ones(given["input_ids"].shape, device=self._device) if mask is None else mask
            return {name: to_rows(pool_tokens(state, mask, self._pool)) for name, state in states.items()}

    def _words(self, states, tokens, items):
        """A row per word, from its first or last piece or the mean of its pieces."""
        rows = []
        states = to_rows(states)
        for i, words in enumerate(items):
            pieces = [[] for _ in words]
            for position, word in enumerate(tokens.word_ids(i)):
                if word is not None:
                    pieces[word].append(position)
            for word, positions in zip(words, pieces):
                if not positions:
                    raise ValueError(
                        f"{self.name}: the word '{word}' in a sentence of {len(words)} words has no pieces, or lies beyond the "
                        f"{self._longest} that the model takes; split the sentence or drop the word for all models"
                    )
                chosen = {"first": positions[:1], "last": positions[-1:], "mean": positions}[self._pool]
                rows.append(states[i, chosen].mean(axis=0))
        return np.stack(rows)


def pool_tokens(states, mask, how):
    """Samples x tokens x dimensions -> samples x dimensions in torch; padding may be on either side."""
    torch = torch_module()
    states = states.float()
    mask = mask.to(states.device).bool()
    rows = torch.arange(len(states), device=states.device)
    if how == "cls":
        return states[rows, mask.int().argmax(dim=1)]
    if how == "last":
        return states[rows, mask.shape[1] - 1 - mask.flip(1).int().argmax(dim=1)]
    if how == "max":
        return states.masked_fill(~mask[:, :, None], float("-inf")).amax(dim=1)
    weights = mask[:, :, None].float()
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp_min(1.0)


def _pair_features(u, v):
    return np.concatenate([u, v, np.abs(u - v), u * v], axis=1)


def _longest_input(config, tokenizer, options):
    """The least of what the tokenizer, the model and the user say."""
    known = [getattr(tokenizer, "model_max_length", None), getattr(config, "max_position_embeddings", None)]
    if known[1] and getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer"):
        known[1] -= (getattr(config, "pad_token_id", None) or 0) + 1  # positions start behind the padding's
    known = [one for one in known if one and 0 < one < 1_000_000]
    return min([*(known or [_LONGEST]), *([options.max_length] if options.max_length else [])])


def _transformers():
    transformers = library("transformers", "models of Hugging Face need transformers")
    quiet_progress()
    return transformers


def _tokenizer_of(name, items):
    transformers = _transformers()
    if items.kind != "words":
        return transformers.AutoTokenizer.from_pretrained(name)
    try:  # tokenizers of byte pairs take words only when every one starts with a blank
        return transformers.AutoTokenizer.from_pretrained(name, use_fast=True, add_prefix_space=True)
    except TypeError:
        return transformers.AutoTokenizer.from_pretrained(name, use_fast=True)


def hugging_face(text, name, items, options):
    """A name or a local folder: AutoModel and its tokenizer."""
    transformers = _transformers()
    model = transformers.AutoModel.from_pretrained(text)
    return Transformer(model, _tokenizer_of(text, items), name, items, options)


def with_own_tokenizer(model, name, items, options):
    """A model of transformers that remembers where it was loaded from."""
    where = getattr(model, "name_or_path", "")
    if not where or not hasattr(model, "config"):
        raise ValueError(f"{name}: texts need a tokenizer; pass (model, tokenizer), or a function of a list of texts")
    return Transformer(model, _tokenizer_of(where, items), name, items, options)


class SentenceEncoder(Encoder):
    """A model of sentence-transformers by its own ``encode``: its tokenizer, pooling and normalisation."""

    def __init__(self, model, name, items, options):
        super().__init__(name, options)
        self._model, self._kind = model.to(device_of(options)), items.kind
        if options.pool is not None:
            raise ValueError(f"{name}: sentence-transformers pools as it was trained; pool= is for its layers (layers=)")
        self._pair = (options.pair or "bi") if items.kind == "pair" else None
        if self._pair == "cross":
            raise ValueError(f"{name}: a sentence encoder reads one text at a time: pair='bi'")
        if options.max_length:
            model.max_seq_length = min(options.max_length, model.max_seq_length or options.max_length)

    def length(self, item):
        return sum(map(len, item)) if isinstance(item, tuple) else len(item)

    def recipe(self):
        return (f"sentences {self._kind} {self._pair} longest {self._model.max_seq_length} "
                f"precision {self.options.precision or 'fp32'} {self._model!r}")

    def weights(self):
        return weights_digest(self._model)

    def encode(self, items):
        with Evaluating(self._model, self.options):
            if self._pair == "bi":
                return {FINAL: _pair_features(self._rows([a for a, _ in items]), self._rows([b for _, b in items]))}
            return {FINAL: self._rows(items)}

    def _rows(self, texts):
        return self._model.encode(list(texts), batch_size=max(1, len(texts)), show_progress_bar=False, convert_to_numpy=True)


def sentence_transformer(model, name, items, options):
    """A name, a folder or a SentenceTransformer; its layers are those of the transformer inside."""
    if isinstance(model, str):
        SentenceTransformer = library("sentence_transformers", "sentence encoders need sentence-transformers").SentenceTransformer
        quiet_progress()
        model = SentenceTransformer(model, device=str(device_of(options)))
    if items.kind == "words" or options.layers is not None or options.pair == "cross":
        inner = next((part for part in model.modules() if hasattr(part, "config") and hasattr(part, "name_or_path")), None)
        if inner is None:
            raise ValueError(f"{name}: holds no transformer whose layers could be taken")
        return Transformer(inner, _inner_tokenizer(model), name, items, options)
    return SentenceEncoder(model, name, items, options)


def _inner_tokenizer(model):
    tokenizer = getattr(model, "tokenizer", None)
    return getattr(tokenizer, "tokenizer", tokenizer)  # some versions wrap it in a processor
